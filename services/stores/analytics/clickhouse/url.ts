/** The parsed URL of a ClickHouse server. */
import { type Certificates, ServerUrl } from '../../../runtime/server-url.ts';

export interface ClickHouseAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | undefined;
  readonly insertQuorum: string;
  readonly tls: Certificates;
  /** The compression of requests. With `none`, answers are not compressed either. */
  readonly compression: Compression;
}

export type Compression = (typeof COMPRESSIONS)[number];
const COMPRESSIONS = ['zstd', 'gzip', 'none'] as const;

const CLICKHOUSE_URL = {
  server: 'ClickHouse',
  ports: { http: 8123, https: 8443 },
  parameters: ['cluster', 'insert_quorum', 'ca_file', 'cert_file', 'key_file', 'compression'],
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
  const tls = url.certificates(url.scheme === 'https', { ca: 'ca_file', cert: 'cert_file', key: 'key_file' });
  if (tls.cert !== undefined && url.password)
    throw url.invalid('has a cert_file and a password: a user has one of them');
  return {
    origin,
    username: url.user || 'default',
    password: url.password ?? '',
    database: url.database() || 'default',
    cluster: url.text('cluster'),
    insertQuorum,
    tls,
    // On the same machine compression gains nothing and costs a fifth of the sink's rate (`npm run bench
    // servers-sink`).
    compression: url.oneOf('compression', COMPRESSIONS, LOOPBACK.test(origin) ? 'none' : 'zstd'),
  };
}
