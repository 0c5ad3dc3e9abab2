import type { ConnectionOptions } from 'node:tls';
import { ServerUrl } from '../../../runtime/server-url.ts';

/** The checked values of the URL, with defaults for what it omits. */
export interface PostgresSettings {
  /** A name, an address, or the folder of a Unix socket (`%2Fvar%2Frun%2Fpostgresql` in the URL). */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly applicationName: string;
  readonly tls: ConnectionOptions | false;
  /** The maximum number of connections. */
  readonly poolMax: number;
  /** Whether a pooler in between gives each transaction a connection of its choice. */
  readonly perTransaction: boolean;
  /** The maximum time to connect, or to wait for a free connection. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

const POSTGRES_URL = {
  server: 'Postgres',
  ports: { postgres: 5432, postgresql: 5432 },
  parameters: [
    'application_name',
    'connect_timeout_ms',
    'lock_timeout_ms',
    'pool_max',
    'pool_mode',
    'sslcert',
    'sslkey',
    'sslmode',
    'sslrootcert',
    'statement_timeout_ms',
  ],
  hosts: 'optional',
} as const;
type Url = ServerUrl<(typeof POSTGRES_URL.parameters)[number]>;

const LONGEST_MS = 86_400_000;

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. The driver never receives the URL: it would take missing
 * values from PG… variables, and interprets `sslmode` differently (pg 8: `require` checks the certificate; pg 9: it
 * does not).
 *
 * @throws TidemarkError `CONFIG_INVALID`
 */
export function readPostgresUrl(text: string): PostgresSettings {
  const url: Url = new ServerUrl(text, POSTGRES_URL);
  const { user, password = '' } = url;
  const { name, port } = url.hosts[0] ?? { name: 'localhost', port: POSTGRES_URL.ports.postgres };
  const database = url.database();
  if (!user || database === '') throw url.invalid(`names no ${user ? 'database' : 'user'}`);
  return {
    host: url.decode(name).replace(/^\[(.+)\]$/, '$1'),
    port,
    user,
    password,
    database,
    applicationName: url.text('application_name') ?? 'tidemark',
    tls: tlsOf(url),
    poolMax: url.count('pool_max', 1_000, 10),
    perTransaction: url.oneOf('pool_mode', ['session', 'transaction'], 'session') === 'transaction',
    connectTimeoutMs: url.count('connect_timeout_ms', LONGEST_MS, 8_000),
    statementTimeoutMs: url.count('statement_timeout_ms', LONGEST_MS, 30_000),
    lockTimeoutMs: url.count('lock_timeout_ms', LONGEST_MS, 10_000),
  };
}

/** `sslmode` as libpq defines it. Modes that may fall back to plain text (`allow`, `prefer`) are refused. */
function tlsOf(url: Url): ConnectionOptions | false {
  const mode = url.oneOf('sslmode', ['disable', 'require', 'verify-ca', 'verify-full'], 'disable');
  const names = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;
  const certificates = url.certificates(mode !== 'disable', names);
  const checksChain = mode !== 'require' || certificates.ca !== undefined;
  if (mode === 'disable') return false;
  if (mode === 'verify-ca' && certificates.ca === undefined)
    throw url.invalid('says sslmode=verify-ca and no sslrootcert');
  // `require` with a certificate authority means `verify-ca`: the chain is checked, but not the host name.
  const anyName = checksChain && mode !== 'verify-full' && { checkServerIdentity: () => undefined };
  return { ...certificates, rejectUnauthorized: checksChain, ...anyName };
}
