/** A ClickHouse server, or a cluster of them, over HTTP. Imported by open.ts alone. */
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import { ClickHouseStore } from './clickhouse-store.ts';
import { cluster, type Deployment, quotedName, SERVER } from './deployment.ts';
import type { ClickHouseDatabases } from './generations.ts';
import { openingError } from './errors.ts';
import { type ClickHouseAddress, readClickHouseUrl } from './url.ts';
import { fairGate } from '../query-queue.ts';
import type { AnalyticsOptions } from '../open.ts';

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
export async function openClickHouse(url: string, { exclusively }: AnalyticsOptions): Promise<ClickHouseStore> {
  const address = readClickHouseUrl(url);
  const common = commonOptions(address);
  await prepare(address, common);
  const deployment = deploymentOf(address);
  const open = async (database: string): Promise<ClickHouseStore> => {
    const store = new ClickHouseStore(clientsOf({ ...address, database }, common), deployment, databases);
    try {
      await store.migrate(exclusively);
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

function deploymentOf({ cluster: name, insertQuorum }: ClickHouseAddress): Deployment {
  return name === undefined ? SERVER : cluster({ name, insertQuorum });
}

function clientsOf({ database, compression }: ClickHouseAddress, common: ClientOptions) {
  const request = compression === 'none' ? false : ({ codec: compression, level: 1 } as const);
  const usual = request && ({ codec: 'gzip' } as const);
  // Compression would double the time of a long answer.
  const make = (max_open_connections: number, request_timeout: number, response = usual) =>
    createClient({
      ...common,
      database,
      max_open_connections,
      request_timeout,
      compression: { request, response },
    });
  return {
    inserts: make(INSERTS_AT_ONCE, INSERT_TIMEOUT_MS),
    lookups: make(MAX_LOOKUPS, LOOKUP_TIMEOUT_MS),
    questions: make(QUESTIONS_AT_ONCE, QUESTION_TIMEOUT_MS),
    streams: make(STREAMS_AT_ONCE, QUESTION_TIMEOUT_MS, false),
    evaluations: make(EVALUATIONS_AT_ONCE, QUESTION_TIMEOUT_MS),
    release: () => Promise.resolve(),
  };
}

function commonOptions({ origin, username, password, ca }: ClickHouseAddress): ClientOptions {
  return {
    url: origin,
    username,
    password,
    application: 'tidemark',
    log: { level: ClickHouseLogLevel.OFF },
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    // A list of ids may be longer than a URL may be.
    use_multipart_params_auto: true,
    ...(ca !== undefined && { tls: { ca_cert: Buffer.from(ca) } }),
  };
}

/** Checks that the server is suitable, and creates the database. */
async function prepare(address: ClickHouseAddress, common: ClientOptions): Promise<void> {
  const client = createClient({ ...common, request_timeout: OPENING_TIMEOUT_MS });
  try {
    await refuseIfTooOld(client);
    if (address.cluster !== undefined) await checkCluster(client, address.cluster);
    await makeDatabase(client, address);
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

/** Every server must have all data, because a query uses one server. */
async function checkCluster(client: ClickHouseClient, name: string): Promise<void> {
  const query = 'SELECT uniqExact(shard_num) AS shards FROM system.clusters WHERE cluster = {name:String}';
  const [row] = await queryRows<{ shards: string }>(client, query, { name });
  if (Number(row?.shards) === 1) return;
  const problem = Number(row?.shards) === 0 ? 'is not known to the server' : `has ${row?.shards} shards: one is needed`;
  throw new TidemarkError('CONFIG_INVALID', `the cluster ${name} of ClickHouse ${problem}`);
}

async function makeDatabase(client: ClickHouseClient, { database, cluster: name }: ClickHouseAddress): Promise<void> {
  const query = 'SELECT count() AS n FROM system.databases WHERE name = {database:String}';
  const [row] = await queryRows<{ n: string }>(client, query, { database });
  if (Number(row?.n) > 0) return;
  const where = name === undefined ? '' : ` ON CLUSTER ${quotedName(name)}`;
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${quotedName(database)}${where}` });
}

async function queryRows<T>(client: ClickHouseClient, query: string, query_params: Record<string, string> = {}) {
  const result = await client.query({ query, query_params, format: 'JSONEachRow' });
  return result.json<T>();
}
