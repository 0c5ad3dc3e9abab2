/** A ClickHouse server, or a cluster of them, over HTTP. Imported by open.ts alone. */
import { rootCertificates } from 'node:tls';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { Certificates } from '../../../runtime/server-url.ts';
import { MIGRATES, type Migration, storeOlder } from '../../../runtime/migrate.ts';
import { ClickHouseStore } from './clickhouse-store.ts';
import { cluster, type Deployment, localOf, quotedName, SERVER, sharded } from './deployment.ts';
import type { ClickHouseDatabases } from './clickhouse-generations.ts';
import type { ClickHouseClients } from './clients.ts';
import { openingError } from './errors.ts';
import type { Exclusively } from './migrations.ts';
import {
  migrateShards,
  replicasByShard,
  serversOf,
  SHARDED_SETTINGS,
  type ShardServer,
  type ShardsParts,
} from './shards.ts';
import { type ClickHouseAddress, readClickHouseUrl } from './url.ts';
import { fairGate } from '../query-queue.ts';

/** The oldest version with all features in use: the newest of these is `json_type_escape_dots_in_keys`. */
const OLDEST = { major: 25, minor: 8 } as const;

// One insert per table, and one more.
const INSERTS_AT_ONCE = 6;
const MAX_LOOKUPS = 4;
const QUESTIONS_AT_ONCE = 8;
const STREAMS_AT_ONCE = 4;
const EVALUATIONS_AT_ONCE = 2;

// A server that does not respond for this long counts as unreachable. Inserts of an hour's backlog into a busy server
// take seconds, including the flush of every part; a quorum may take half a minute. Queries have their own limit.
const OPENING_TIMEOUT_MS = 8_000;
const LOOKUP_TIMEOUT_MS = 40_000;
const INSERT_TIMEOUT_MS = 60_000;
const QUESTION_TIMEOUT_MS = 24 * 3_600_000;

type ClientOptions = NonNullable<Parameters<typeof createClient>[0]>;

/**
 * Opens the store, creates its database if it does not exist, and migrates its tables. If the tables are up to date, a
 * user with read access only is sufficient.
 *
 * @throws TidemarkError as `openAnalytics` does.
 */
export async function openClickHouse(
  url: string,
  {
    exclusively = (run) => run(),
    migration = MIGRATES,
  }: { readonly exclusively?: Exclusively; readonly migration?: Migration | undefined },
): Promise<ClickHouseStore> {
  const address = readClickHouseUrl(url);
  const common = commonOptions(address);
  const servers = await prepare(address, common, migration);
  const deployment = deploymentOf(address, servers);
  const open = async (database: string, isNew = false): Promise<ClickHouseStore> => {
    const own = isNew ? MIGRATES : migration;
    const isOne = servers.length === 0;
    const onShards = { address, common, servers, deployment, exclusively, migration: own };
    const spread = isOne ? [] : await makeOnShards(onShards, database);
    const clients = clientsOf({ ...address, database }, common, { servers, spread });
    const store = new ClickHouseStore(clients, deployment, databases);
    try {
      if (isOne) await store.migrate(own, exclusively);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  };
  const gates = {
    questions: fairGate(QUESTIONS_AT_ONCE),
    streams: fairGate(STREAMS_AT_ONCE),
    evaluations: fairGate(EVALUATIONS_AT_ONCE),
  };
  const databases: ClickHouseDatabases = { name: address.database, open, gates };
  return open(address.database);
}

function deploymentOf({ cluster: name, insertQuorum }: ClickHouseAddress, servers: readonly ShardServer[]): Deployment {
  if (name === undefined) return SERVER;
  if (servers.length === 0) return cluster({ name, insertQuorum });
  return sharded(
    { name, insertQuorum },
    replicasByShard(servers).some((replicas) => replicas.length > 1),
  );
}

interface OnShards extends Pick<ShardsParts, 'exclusively' | 'migration'> {
  readonly address: ClickHouseAddress;
  readonly common: ClientOptions;
  readonly servers: readonly ShardServer[];
  readonly deployment: Deployment;
}

/** Resolves to a server of each shard over which users are spread; to none where the service cannot tell which has whom. */
async function makeOnShards(
  { address, common, ...parts }: OnShards,
  database: string,
): Promise<readonly ShardServer[]> {
  // A statement may move every event.
  const slow = { ...common, request_timeout: QUESTION_TIMEOUT_MS };
  const clients = (server: ShardServer, of?: string): ClickHouseClient =>
    createClient({ ...slow, url: originOfServer(server, address), ...(of !== undefined && { database: of }) });
  try {
    const placement = await migrateShards({ ...parts, clients, cluster: address.cluster ?? '' }, database);
    const isEven = parts.servers.every(({ weight }) => weight === 1);
    return isEven ? firstsOf(parts.servers).slice(0, placement) : [];
  } catch (error) {
    throw error instanceof TidemarkError ? error : openingError(error);
  }
}

/** Every server of a cluster listens on the port of the configured one. */
function originOfServer({ host }: ShardServer, { origin }: ClickHouseAddress): string {
  const url = new URL(origin);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  return url.origin;
}

function firstsOf(servers: readonly ShardServer[]): readonly ShardServer[] {
  return replicasByShard(servers).flatMap((replicas) => replicas.slice(0, 1));
}

/** @param spread Those over which users are spread, where that is known. */
function clientsOf(
  address: ClickHouseAddress,
  common: ClientOptions,
  { servers, spread }: Readonly<Record<'servers' | 'spread', readonly ShardServer[]>>,
): ClickHouseClients {
  const { database, compression } = address;
  const request = compression === 'none' ? false : ({ codec: compression, level: 1 } as const);
  const usual = request && ({ codec: 'gzip' } as const);
  const options = { ...common, ...(servers.length > 0 && { clickhouse_settings: SHARDED_SETTINGS }) };
  // Compression would double the time of a long answer.
  const make = (max_open_connections: number, request_timeout: number, response = usual, own: ClientOptions = {}) =>
    createClient({
      ...options,
      database,
      max_open_connections,
      request_timeout,
      compression: { request, response },
      ...own,
    });
  const at = (server: ShardServer, of: string) => ({ url: originOfServer(server, address), database: of });
  const on = (server: ShardServer, of: string): ClickHouseClient =>
    make(INSERTS_AT_ONCE, INSERT_TIMEOUT_MS, usual, at(server, of));
  const inserts = make(INSERTS_AT_ONCE, INSERT_TIMEOUT_MS);
  const lookups = make(MAX_LOOKUPS, LOOKUP_TIMEOUT_MS);
  const lookUpOn = (server: ShardServer): ClickHouseClient =>
    make(MAX_LOOKUPS, LOOKUP_TIMEOUT_MS, usual, at(server, localOf(database)));
  return {
    inserts,
    lookups,
    lookupsByShard: spread.length === 0 ? [lookups] : spread.map(lookUpOn),
    questions: make(QUESTIONS_AT_ONCE, QUESTION_TIMEOUT_MS),
    streams: make(STREAMS_AT_ONCE, QUESTION_TIMEOUT_MS, false),
    evaluations: make(EVALUATIONS_AT_ONCE, QUESTION_TIMEOUT_MS),
    servers: servers.length === 0 ? [inserts] : servers.map((server) => on(server, database)),
    shards: servers.length === 0 ? [inserts] : firstsOf(servers).map((server) => on(server, localOf(database))),
    release: () => Promise.resolve(),
  };
}

function commonOptions({ origin, username, password, tls }: ClickHouseAddress): ClientOptions {
  return {
    url: origin,
    username,
    password,
    application: 'tidemark',
    log: { level: ClickHouseLogLevel.OFF },
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    // A list of ids may be longer than a URL may be.
    use_multipart_params_auto: true,
    ...tlsOptions(tls),
  };
}

/** With a certificate, the server takes it in place of a password. */
function tlsOptions({ ca, cert, key }: Certificates): Pick<ClientOptions, 'tls'> {
  if (cert === undefined || key === undefined) return ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } };
  const trusted = ca ?? rootCertificates.join('\n');
  return { tls: { ca_cert: Buffer.from(trusted), cert: Buffer.from(cert), key: Buffer.from(key) } };
}

/** Checks that the server is suitable, and creates the database. Resolves to the servers of several shards, or to none. */
async function prepare(
  address: ClickHouseAddress,
  common: ClientOptions,
  migration: Migration,
): Promise<readonly ShardServer[]> {
  const client = createClient({ ...common, request_timeout: OPENING_TIMEOUT_MS });
  try {
    await refuseIfTooOld(client);
    const servers = address.cluster === undefined ? [] : await shardsOf(client, address.cluster);
    if (servers.length === 0) await makeDatabase(client, address, migration);
    return servers;
  } catch (error) {
    throw error instanceof TidemarkError ? error : openingError(error);
  } finally {
    await client.close();
  }
}

async function refuseIfTooOld(client: ClickHouseClient): Promise<void> {
  const [row] = await queryRows<{ version: string }>(client, 'SELECT version() AS version');
  const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return;
  throw new TidemarkError(
    'SERVER_TOO_OLD',
    `ClickHouse ${row?.version} is too old: ${OLDEST.major}.${OLDEST.minor} or newer is needed`,
  );
}

/** The servers of a cluster of several shards. With one shard every server has all data, so a query uses one. */
async function shardsOf(client: ClickHouseClient, name: string): Promise<readonly ShardServer[]> {
  const servers = await serversOf(client, name);
  if (servers.length === 0)
    throw new TidemarkError('CONFIG_INVALID', `the cluster ${name} of ClickHouse is not known to the server`);
  if (replicasByShard(servers).length === 1) return [];
  if (new Set(servers.map(({ host }) => host)).size === servers.length) return servers;
  throw new TidemarkError(
    'CONFIG_INVALID',
    `the cluster ${name} of ClickHouse has several servers on one host: they cannot have the same port`,
  );
}

async function makeDatabase(
  client: ClickHouseClient,
  { database, cluster: name }: ClickHouseAddress,
  migration: Migration,
): Promise<void> {
  const query = `SELECT (SELECT count() FROM system.databases WHERE name = {database:String}) AS n,
                        (SELECT any(engine) FROM system.tables WHERE database = {database:String} AND name = 'track_rows') AS engine`;
  const [row] = await queryRows<{ n: string; engine: string }>(client, query, { database });
  if (row?.engine === 'Distributed')
    throw new TidemarkError(
      'CONFIG_INVALID',
      `the database ${database} of ClickHouse is one of several shards: name its cluster`,
    );
  if (Number(row?.n) > 0) return;
  if (!migration.isOn) throw storeOlder(`ClickHouse lacks the database ${database}`);
  const where = name === undefined ? '' : ` ON CLUSTER ${quotedName(name)}`;
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${quotedName(database)}${where}` });
  migration.note?.(`the database ${database}`);
}

async function queryRows<T>(client: ClickHouseClient, query: string, query_params: Record<string, string> = {}) {
  const result = await client.query({ query, query_params, format: 'JSONEachRow' });
  return result.json<T>();
}
