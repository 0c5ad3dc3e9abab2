/**
 * A cluster of several shards. Each server has the tables in a database `NAME_local`, as a server by itself would, and in the
 * database `NAME` tables of the same names that refer to those of every shard (`Distributed`), with the views. So any
 * server can be asked. All rows of a user are on one shard: what joins or excludes users is computed there.
 */
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { QueryResult } from '../analytics-store.ts';
import { TidemarkError } from '../../../runtime/errors.ts';
import { type Migration, readMigrations, statementsOf, storeOlder } from '../../../runtime/migrate.ts';
import { type Deployment, localOf, quotedName, sqlString } from './deployment.ts';
import { CLICKHOUSE_SCHEMAS, DEFINING, type Exclusively, migrateClickHouse } from './migrations.ts';
import { viewsOf } from './views.ts';

/** For every statement that may reach more than one shard. */
export const SHARDED_SETTINGS: ClickHouseSettings = {
  // An insert is acknowledged when each shard has its rows, not when they are on the way.
  distributed_foreground_insert: 1,
  // Rows go where the key of the table wants them, also where they come from tables of the same cluster.
  parallel_distributed_insert_select: '0',
  // A question of which a part is missing has no answer.
  skip_unavailable_shards: 0,
};

/** A server of the cluster; shards are numbered from 1. */
export interface ShardServer {
  readonly shard: number;
  readonly host: string;
  /** How many users it takes for one that another takes: 1 unless the cluster says otherwise. */
  readonly weight: number;
}

/** What opens clients of one server. */
export type ServerClients = (server: ShardServer, database?: string) => ClickHouseClient;

/** The servers of a cluster in the order of shards, as the asked server knows them. */
export async function serversOf(client: ClickHouseClient, cluster: string): Promise<readonly ShardServer[]> {
  const result = await client.query({
    query: `SELECT shard_num AS shard, host_name AS host, shard_weight AS weight FROM system.clusters WHERE cluster = {cluster:String}
            ORDER BY shard_num, replica_num`,
    query_params: { cluster },
    format: 'JSONEachRow',
  });
  return result.json<ShardServer>();
}

export function replicasByShard(servers: readonly ShardServer[]): readonly (readonly ShardServer[])[] {
  return [...Map.groupBy(servers, ({ shard }) => shard).values()];
}

/** The databases that one server has already. */
interface FoundDatabases {
  readonly server: ShardServer;
  /** Comment of the database with the tables: '' where it is absent. */
  readonly comment: string;
  /** Engine of the table of events that is queried: '' where it is absent. */
  readonly engine: string;
  readonly engine_full: string;
  /** The newest migration when the tables that are asked were made: '' where they are absent. */
  readonly made_by: string;
}

export interface ShardsParts {
  readonly cluster: string;
  readonly servers: readonly ShardServer[];
  readonly clients: ServerClients;
  readonly deployment: Deployment;
  readonly exclusively: Exclusively;
  readonly migration: Migration;
}

/**
 * Makes a database on every server where it is absent, and migrates it. Where there is nothing to do, it writes nothing.
 * Resolves to the number of shards over which its users are spread: the first ones of the cluster.
 *
 * @throws TidemarkError `CONFIG_INVALID` where the database has the tables of a server by itself, or was made for other
 *   shards; `STORE_NEWER`; `STORE_OLDER`; and what the client throws.
 */
export async function migrateShards(parts: ShardsParts, database: string): Promise<number> {
  const { servers, clients, exclusively, migration } = parts;
  const found = await Promise.all(
    servers.map((server) => withClient(clients(server), (client) => find(client, server, database))),
  );
  const placement = placementOf(parts, database, found);
  const absent = found.filter(({ comment }) => comment === '');
  if (absent.length > 0 && !migration.isOn) throw storeOlder(`a server of ${parts.cluster} lacks ${localOf(database)}`);
  if (hasLostShard(found, placement)) await forgetIngested(parts, found, database);
  for (const { server } of absent)
    await withClient(clients(server), (client) => makeDatabases(client, server, database));
  for (const replicas of replicasByShard(servers)) await migrateShard(parts, replicas, localOf(database));
  const files = await readMigrations(CLICKHOUSE_SCHEMAS);
  const version = files.at(-1)?.name ?? '';
  const outdated = found.filter(({ made_by }) => isOlder(made_by, version));
  if (outdated.length === 0) return placement;
  if (!migration.isOn) throw storeOlder(`a server of ${parts.cluster} has the tables of before in ${database}`);
  const views = viewsOf(files.flatMap(({ sql }) => statementsOf(sql)));
  await exclusively(async () => {
    for (const { server } of outdated) {
      const tables = await withClient(clients(server, localOf(database)), tablesOf);
      const statements = distributedTables(tables, { database, cluster: parts.cluster, placement, version });
      await withClient(clients(server, database), (client) => define(client, statements, views));
    }
  });
  return placement;
}

/** Whether one of the shards over which users are spread has nothing, on any of its servers. */
function hasLostShard(found: readonly FoundDatabases[], placement: number): boolean {
  const isMade = found.some(({ engine }) => engine !== '');
  const shards = Map.groupBy(found, ({ server }) => server.shard);
  const isEmpty = (servers: readonly FoundDatabases[]): boolean => servers.every(({ comment }) => comment === '');
  return isMade && [...shards].some(([shard, servers]) => shard <= placement && isEmpty(servers));
}

/**
 * Forgets what was ingested, so that the sink reads it again: the rows that the lost shard had are in the log. Before
 * anything is made on that shard, by which it would no longer be known.
 */
async function forgetIngested(
  { clients, deployment }: ShardsParts,
  found: readonly FoundDatabases[],
  database: string,
): Promise<void> {
  for (const { server } of found.filter(({ server: { shard }, comment }) => shard === 1 && comment !== ''))
    await withClient(clients(server, localOf(database)), (client) =>
      client.command({
        query: deployment.statement('TRUNCATE TABLE IF EXISTS held_ranges SYNC'),
        clickhouse_settings: DEFINING,
      }),
    );
}

async function migrateShard(
  { clients, deployment, exclusively, migration }: ShardsParts,
  servers: readonly ShardServer[],
  database: string,
): Promise<void> {
  const [first, ...others] = servers.map((server) => clients(server, database));
  if (first === undefined) return;
  try {
    await migrateClickHouse([first, ...others], deployment, exclusively, migration);
  } finally {
    await Promise.all([first, ...others].map((client) => client.close()));
  }
}

/** The last table comes after the views, so that its comment says that all of it was done. */
async function define(
  client: ClickHouseClient,
  tables: readonly string[],
  views: ReturnType<typeof viewsOf>,
): Promise<void> {
  const bodies = views.map(({ name, body }) => `CREATE OR REPLACE VIEW ${name} AS\n${body}`);
  for (const query of [...tables.slice(0, -1), ...bodies, ...tables.slice(-1)])
    await client.command({ query, clickhouse_settings: DEFINING });
}

async function withClient<T>(client: ClickHouseClient, run: (client: ClickHouseClient) => Promise<T>): Promise<T> {
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

async function find(client: ClickHouseClient, server: ShardServer, database: string): Promise<FoundDatabases> {
  const result = await client.query({
    query: `SELECT (SELECT any(comment) FROM system.databases WHERE name = {local:String}) AS comment,
                   anyIf(engine, name = 'track_rows') AS engine, anyIf(engine_full, name = 'track_rows') AS engine_full,
                   anyIf(tables.comment, name = 'held_ranges') AS made_by
            FROM system.tables AS tables WHERE database = {database:String}`,
    query_params: { database, local: localOf(database) },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<Omit<FoundDatabases, 'server'>>();
  if (row === undefined) throw new Error('no row came');
  return { server, ...row };
}

const PLACEMENT = /\buser % (\d+)\b/;

/**
 * Over how many shards the users of a database are spread: those that there were when it was made. So a shard that is added
 * takes no users before a replay makes the next generation, and no user's rows are ever on two.
 */
function placementOf({ servers, cluster }: ShardsParts, database: string, found: readonly FoundDatabases[]): number {
  const invalid = (problem: string): TidemarkError =>
    new TidemarkError('CONFIG_INVALID', `the database ${database} of the cluster ${cluster} of ClickHouse ${problem}`);
  const placements = new Set<number>();
  for (const { server, comment, engine, engine_full } of found) {
    const { shard, host } = server;
    if (engine.endsWith('MergeTree')) throw invalid(`has the tables of a server by itself on ${host}: name another`);
    if (comment !== '' && comment !== commentOf(shard))
      throw invalid(`was made on ${host} as ${comment}, which is now ${commentOf(shard)}: shards keep their order`);
    const placement = PLACEMENT.exec(engine_full)?.[1];
    if (placement !== undefined) placements.add(Number(placement));
  }
  const shards = replicasByShard(servers).length;
  const [placement = shards, ...others] = placements;
  if (others.length > 0) throw invalid(`is spread over ${[...placements].join(' and ')} shards: its servers disagree`);
  if (placement > shards) throw invalid(`is spread over ${placement} shards, of which the cluster has ${shards}`);
  return placement;
}

function commentOf(shard: number): string {
  return `shard ${shard}`;
}

async function makeDatabases(client: ClickHouseClient, { shard }: ShardServer, database: string): Promise<void> {
  const comment = sqlString(commentOf(shard));
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${quotedName(database)}` });
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${quotedName(localOf(database))} COMMENT ${comment}` });
}

/** A table and the names of its columns. */
interface LocalTable {
  readonly table: string;
  readonly columns: readonly string[];
}

async function tablesOf(client: ClickHouseClient): Promise<readonly LocalTable[]> {
  const result = await client.query({
    query: `SELECT table, groupArray(name) AS columns FROM system.columns
            WHERE database = currentDatabase() AND table != 'schema_migrations' AND table IN
              (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE '.%')
            GROUP BY table ORDER BY table = 'held_ranges', table`,
    format: 'JSONEachRow',
  });
  return result.json<LocalTable>();
}

interface DistributedOptions {
  readonly database: string;
  readonly cluster: string;
  readonly placement: number;
  /** The newest migration, noted in a comment of the table that is made last, which no view reads. */
  readonly version: string;
}

/** Pure. */
function distributedTables(
  tables: readonly LocalTable[],
  { database, cluster, placement, version }: DistributedOptions,
): readonly string[] {
  const local = localOf(database);
  return tables.map(({ table, columns }) => {
    const key = shardingKey(table, columns, placement);
    const target = [cluster, local, table].map(sqlString).join(', ');
    return (
      `CREATE OR REPLACE TABLE ${quotedName(database)}.${quotedName(table)} AS ${quotedName(local)}.${quotedName(table)}\n` +
      `ENGINE = Distributed(${target}${key === null ? '' : `, ${key}`})\nCOMMENT ${sqlString(version)}`
    );
  });
}

/** Which shard a row is inserted into. Null for a table that only a view on each shard writes. */
function shardingKey(table: string, columns: readonly string[], placement: number): string | null {
  // Not rows of the log: the first shard alone has them, so that its subqueries among them are complete.
  if (table === 'held_ranges' || table.startsWith('audience_')) return '0';
  return columns.includes('user') ? `user % ${placement}` : null;
}

/** The rows of one query that several servers answered at once. */
export function joinedResults(results: readonly QueryResult[]): QueryResult {
  const sum = (of: (result: QueryResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  return {
    rows: results.flatMap(({ rows }) => rows),
    tookMs: Math.max(...results.map(({ tookMs }) => tookMs)),
    rowsRead: sum(({ rowsRead }) => rowsRead),
    bytesRead: sum(({ bytesRead }) => bytesRead),
  };
}

/** Names of migrations. What a newer version has made serves this one too. */
function isOlder(madeBy: string, version: string): boolean {
  return !(Number.parseInt(madeBy, 10) >= Number.parseInt(version, 10));
}
