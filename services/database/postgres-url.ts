import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { TidemarkError } from '../runtime/errors.ts';

/** What the URL says, checked; whatever it leaves out has its default. */
export interface PostgresSettings {
  /** A name, an address, or the folder of a Unix socket (`%2Fvar%2Frun%2Fpostgresql` in the URL). */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly applicationName: string;
  readonly tls: ConnectionOptions | false;
  /** Most connections at a time. */
  readonly poolMax: number;
  /** How long a connection may take, or the wait for a free one. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

const PARAMETERS = [
  'application_name',
  'connect_timeout_ms',
  'lock_timeout_ms',
  'pool_max',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'statement_timeout_ms',
];

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. The driver never sees the URL: it would take what is missing from
 * PG… variables, and reads `sslmode` in its own way (pg 8: `require` checks the certificate; pg 9: it does not).
 *
 * @throws TidemarkError `CONFIG_INVALID`; nothing of the URL but names of parameters is in its text.
 */
export function readPostgresUrl(url: string): PostgresSettings {
  const { hostname, port, username, password, pathname, searchParams } = parse(url);
  const unknown = [...searchParams.keys()].filter((name) => !PARAMETERS.includes(name));
  if (unknown.length > 0)
    throw invalid(`has unknown parameters: ${unknown.join(', ')} (known: ${PARAMETERS.join(', ')})`);
  const milliseconds = (name: string, otherwise: number) => wholeNumber(searchParams, name, otherwise, 86_400_000);
  return {
    host: decode(hostname).replace(/^\[(.+)\]$/, '$1') || 'localhost',
    port: Number(port || 5432),
    user: decode(username) || missing('user'),
    password: decode(password),
    database: decode(pathname.slice(1)) || missing('database'),
    applicationName: searchParams.get('application_name') ?? 'tidemark',
    tls: tlsOf(searchParams),
    poolMax: wholeNumber(searchParams, 'pool_max', 10, 1_000),
    connectTimeoutMs: milliseconds('connect_timeout_ms', 8_000),
    statementTimeoutMs: milliseconds('statement_timeout_ms', 30_000),
    lockTimeoutMs: milliseconds('lock_timeout_ms', 10_000),
  };
}

/** As libpq reads it. What falls back to plain text by itself (`allow`, `prefer`) is refused. */
function tlsOf(parameters: URLSearchParams): ConnectionOptions | false {
  const mode = parameters.get('sslmode') ?? 'disable';
  const certificates = {
    ...fileOf(parameters, 'sslrootcert', 'ca'),
    ...fileOf(parameters, 'sslcert', 'cert'),
    ...fileOf(parameters, 'sslkey', 'key'),
  };
  switch (mode) {
    case 'disable':
      if (Object.keys(certificates).length > 0) throw invalid('names certificates, and sslmode=disable or none');
      return false;
    case 'require':
      // With a certificate authority the chain is checked, and not the host's name: verify-ca.
      return 'ca' in certificates ? { ...certificates, ...ANY_NAME } : { ...certificates, rejectUnauthorized: false };
    case 'verify-ca':
      if (!('ca' in certificates)) throw invalid('says sslmode=verify-ca and no sslrootcert');
      return { ...certificates, ...ANY_NAME };
    case 'verify-full':
      return { ...certificates, rejectUnauthorized: true };
    default:
      throw invalid('has an sslmode other than disable, require, verify-ca, verify-full');
  }
}

const ANY_NAME = { rejectUnauthorized: true, checkServerIdentity: () => undefined };

function fileOf(parameters: URLSearchParams, name: string, as: 'ca' | 'cert' | 'key'): ConnectionOptions {
  const path = parameters.get(name);
  if (path === null) return {};
  try {
    return { [as]: readFileSync(path, 'utf8') };
  } catch (cause) {
    throw invalid(`names a file in ${name} that cannot be read: ${path}`, cause);
  }
}

function wholeNumber(parameters: URLSearchParams, name: string, otherwise: number, max: number): number {
  const text = parameters.get(name);
  if (text === null) return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > max) {
    throw invalid(`has a ${name} that is not a whole number from 1 to ${max}`);
  }
  return number;
}

/** What it throws must not be the cause of anything: an error of URL quotes it, password and all. */
function parse(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null)
    throw invalid('is no URL: characters such as / # % @ in a password are written as %2F %23 %25 %40');
  return parsed;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('has a % that is not one of a percent-encoded character: write %25');
  }
}

function missing(what: string): never {
  throw invalid(`names no ${what}`);
}

function invalid(what: string, cause?: unknown): TidemarkError {
  return new TidemarkError('CONFIG_INVALID', `the URL of Postgres ${what}`, { cause });
}
