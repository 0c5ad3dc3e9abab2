/** The URL of a ClickHouse server, read. Pure. */
import { TidemarkError } from '../runtime/errors.ts';

export interface ClickHouseAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | undefined;
  readonly insertQuorum: string;
  /** A PEM file with the authorities that are trusted instead of the system's. */
  readonly caFile: string | undefined;
  /** Of what is sent; with `none`, of the answers neither. */
  readonly compression: Compression;
}

export type Compression = (typeof COMPRESSIONS)[number];
const COMPRESSIONS = ['zstd', 'gzip', 'none'] as const;
const PARAMETERS = new Set(['cluster', 'insert_quorum', 'ca_file', 'compression']);

/**
 * Reads `http(s)://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE[?cluster=NAME&insert_quorum=N&ca_file=FILE&compression=C]`.
 *
 * @throws TidemarkError `CONFIG_INVALID`, which quotes nothing that may be a password.
 */
export function readClickHouseUrl(text: string): ClickHouseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid('is no URL (characters such as @ : / # % in a password are written %40 …)');
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw invalid(`has the unknown parameter ${unknown}`);
  const given = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  return {
    origin: `${url.protocol}//${url.hostname}:${portOf(url)}`,
    username: decoded(url.username, 'user') || 'default',
    password: decoded(url.password, 'password'),
    database: databaseOf(url),
    cluster: given('cluster'),
    insertQuorum: quorumOf(given('insert_quorum')),
    caFile: given('ca_file'),
    compression: compressionOf(given('compression') ?? usualCompression(url)),
  };
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '8443' : '8123';
}

function databaseOf(url: URL): string {
  const database = decoded(url.pathname.slice(1), 'database');
  if (database.includes('/')) throw invalid('has more than a database in its path');
  return database || 'default';
}

function quorumOf(text = 'auto'): string {
  if (text !== 'auto' && !/^\d{1,3}$/.test(text))
    throw invalid('has an insert_quorum that is neither auto nor a number');
  return text;
}

/** On this machine nothing is gained: a fifth of the sink's rows a second is what it cost (`npm run bench servers-sink`). */
function usualCompression({ hostname }: URL): Compression {
  return LOOPBACK.test(hostname) ? 'none' : 'zstd';
}

// As URL writes them.
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function compressionOf(text: string): Compression {
  const compression = COMPRESSIONS.find((one) => one === text);
  if (compression === undefined) throw invalid(`has a compression that is none of ${COMPRESSIONS.join(', ')}`);
  return compression;
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`has a ${what} that is not percent-encoded`);
  }
}

function invalid(problem: string): TidemarkError {
  return new TidemarkError('CONFIG_INVALID', `the URL of ClickHouse ${problem}`);
}
