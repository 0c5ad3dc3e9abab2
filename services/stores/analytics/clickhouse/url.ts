/** The URL of a ClickHouse server, read. */
import { ServerUrl } from '../../../runtime/server-url.ts';

export interface ClickHouseAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | undefined;
  readonly insertQuorum: string;
  /** The authorities that are trusted instead of the system's, PEM. */
  readonly ca: string | undefined;
  /** Of what is sent; with `none`, of the answers neither. */
  readonly compression: Compression;
}

export type Compression = (typeof COMPRESSIONS)[number];
const COMPRESSIONS = ['zstd', 'gzip', 'none'] as const;

const CLICKHOUSE_URL = {
  server: 'ClickHouse',
  ports: { http: 8123, https: 8443 },
  parameters: ['cluster', 'insert_quorum', 'ca_file', 'compression'],
} as const;

// As origins are written.
const LOOPBACK = /\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|$)/;

/**
 * `http(s)://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE[?…]`
 *
 * @throws TidemarkError `CONFIG_INVALID`
 */
export function readClickHouseUrl(text: string): ClickHouseAddress {
  const url = new ServerUrl(text, CLICKHOUSE_URL);
  const origin = url.origin();
  const insertQuorum = url.text('insert_quorum') ?? 'auto';
  if (!/^(?:auto|\d{1,3})$/.test(insertQuorum)) {
    throw url.invalid('has an insert_quorum that is neither auto nor a number');
  }
  return {
    origin,
    username: url.user || 'default',
    password: url.password ?? '',
    database: url.database() || 'default',
    cluster: url.text('cluster'),
    insertQuorum,
    ca: url.certificates(url.scheme === 'https', { ca: 'ca_file' }).ca,
    // On this machine nothing is gained: a fifth of the sink's rows a second is what it cost (`npm run bench servers-sink`).
    compression: url.oneOf('compression', COMPRESSIONS, LOOPBACK.test(origin) ? 'none' : 'zstd'),
  };
}
