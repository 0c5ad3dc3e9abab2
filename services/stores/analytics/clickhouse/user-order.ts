/**
 * Moves the rows of before into the tables in the order of users (schemas/clickhouse/018-user-order.sql), in the background.
 * New rows come there by materialized views. A move that is interrupted begins again at the partition that it was at, which
 * changes nothing: the tables fold equal keys.
 */
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { pause } from '../../../runtime/pause.ts';
import type { Query, QueryResult } from '../analytics-store.ts';
import { type Deployment, quotedName } from './deployment.ts';
import { questionError } from './errors.ts';
import { forgetInTable, type ForgettingParts } from './forget-rows.ts';
import { HISTORY_LIMITS } from './kept-history.ts';
import { writingSettings } from './settings.ts';

/** A server of a shard, in the database that has the tables. */
export interface OrderedShard extends ForgettingParts {
  readonly client: Pick<ClickHouseClient, 'command'>;
}

export interface UserOrderParts {
  readonly shards: readonly [OrderedShard, ...OrderedShard[]];
  /** Asks about the tables of every server. */
  readonly ask: (query: Query) => Promise<QueryResult>;
  /** Runs a statement that defines something, on every server. */
  readonly define: (sql: string) => Promise<void>;
  readonly deployment: Pick<Deployment, 'beforeReading' | 'settlesMs'>;
}

interface Ordered {
  readonly into: string;
  readonly from: string;
  readonly columns: string;
  /** Whether nothing reads the rows of before any more once they are moved. */
  readonly empties?: true;
}

const ORDERED: readonly Ordered[] = [
  { into: 'user_trait_rows', from: 'trait_rows', columns: 'project_id, user, trait, version, kind, value' },
  {
    into: 'audience_members_by_user',
    from: 'audience_members',
    columns: 'project_id, user, audience_id, change, evaluated_at',
  },
  {
    into: 'user_track_rows',
    from: 'user_event_rows',
    columns:
      'project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given, ' +
      'precedence, anonymous_id',
    empties: true,
  },
];

const COMPLETE = 'complete';
const LOOK_AGAIN_MS = 5_000;

// A statement takes about a second, and as long is left to others after it.
const ROWS_A_STATEMENT = 250_000;
const USER_NUMBERS = 2n ** 128n;

const MOVING: ClickHouseSettings = {
  ...writingSettings(HISTORY_LIMITS),
  max_threads: 1,
  max_insert_threads: '1',
  optimize_on_insert: 0,
  max_partitions_per_insert_block: '0',
  // Dropping has no size limit.
  max_partition_size_to_drop: '0',
};

export class UserOrder {
  readonly #parts: UserOrderParts;
  readonly #openedAt = performance.now();
  #isComplete = false;

  constructor(parts: UserOrderParts) {
    this.#parts = parts;
  }

  /** Whether all of the tables have every row. */
  async isComplete(): Promise<boolean> {
    this.#isComplete ||= (await this.#incomplete()).size === 0;
    return this.#isComplete;
  }

  /**
   * @param deleted The projects that were deleted: their rows may be on the way here while a deletion looks for them, and
   *   are deleted after.
   */
  async complete(deleted: DeletedProjects, signal: AbortSignal): Promise<void> {
    if (await this.isComplete()) return;
    for (const ordered of ORDERED) {
      if (!(await this.#incomplete()).has(ordered.into)) continue;
      for (const shard of this.#parts.shards) await this.#fill(shard, ordered, deleted, signal);
      const table = `${quotedName(await this.#database())}.${quotedName(ordered.into)}`;
      await this.#parts.define(`ALTER TABLE ${table} MODIFY COMMENT '${COMPLETE}'`);
    }
  }

  /** Those that do not have every row, on any server. */
  async #incomplete(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#parts.ask({
      sql: `SELECT DISTINCT name FROM system.tables
            WHERE database = {local:String} AND name IN {names:Array(String)} AND comment != '${COMPLETE}'`,
      params: { local: await this.#database(), names: ORDERED.map(({ into }) => into) },
    });
    return new Set(rows.map(({ name }) => name as string));
  }

  /** The database that has the tables. */
  async #database(): Promise<string> {
    const [{ ask }] = this.#parts.shards;
    const { rows } = await ask({ sql: 'SELECT currentDatabase() AS name', params: {} });
    return rows[0]?.['name'] as string;
  }

  async #fill(shard: OrderedShard, ordered: Ordered, deleted: DeletedProjects, signal: AbortSignal): Promise<void> {
    const { into, from, empties } = ordered;
    for (;;) {
      await this.#waitForOthers(shard, into, signal);
      const { beforeReading } = this.#parts.deployment;
      if (beforeReading !== undefined) await run(shard, { sql: beforeReading(from), params: {} }, signal);
      const [partition] = await partsByPartition(shard, from);
      if (partition === undefined) return;
      if (empties === true) await this.#settled(signal);
      await copy(shard, ordered, partition, signal);
      for (const project of await deleted()) await forgetInTable(shard, into, project, signal);
      if (empties !== true) return;
      await dropUnlessGrown(shard, from, partition, signal);
    }
  }

  /** An insert that began before the migration may still write where the rows of before are. */
  async #settled(signal: AbortSignal): Promise<void> {
    const { settlesMs = 0 } = this.#parts.deployment;
    await pause(this.#openedAt + settlesMs - performance.now(), signal);
    signal.throwIfAborted();
  }

  /** Waits while another process moves the same rows: it would do no harm, and the work twice. */
  async #waitForOthers({ ask }: OrderedShard, into: string, signal: AbortSignal): Promise<void> {
    const sql = 'SELECT count() AS n FROM system.processes WHERE startsWith(query, {copying:String})';
    while ((await ask({ sql, params: { copying: copying(into) } })).rows[0]?.['n'] !== '0') {
      await pause(LOOK_AGAIN_MS, signal);
      signal.throwIfAborted();
    }
  }
}

/** What `userOrderOf` needs of a store. */
export interface OrderedStore {
  readonly clients: Readonly<Record<'lookups' | 'evaluations', ClickHouseClient>> & {
    readonly shards: readonly ClickHouseClient[];
  };
  readonly deployment: Deployment;
  readonly askOn: (client: ClickHouseClient, query: Query) => Promise<QueryResult>;
  readonly define: (sql: string) => Promise<void>;
}

export function userOrderOf({ clients, deployment, askOn, define }: OrderedStore): UserOrder {
  const { lookups, evaluations, shards } = clients;
  // Not the client of the sink's inserts, which would wait.
  const [first = evaluations, ...others] = deployment.localOf === undefined ? [] : shards;
  const shardAt = (client: ClickHouseClient): OrderedShard => ({ client, ask: (query) => askOn(client, query) });
  return new UserOrder({
    shards: [shardAt(first), ...others.map(shardAt)],
    ask: (query) => askOn(lookups, query),
    define,
    deployment,
  });
}

export type DeletedProjects = () => Promise<ReadonlySet<string>>;

interface Partition {
  readonly id: string;
  readonly rows: string;
  /** Grows with every insert. */
  readonly block: string;
}

/** Newest first. */
async function partsByPartition({ ask }: OrderedShard, table: string): Promise<readonly Partition[]> {
  const { rows } = await ask({
    sql: `SELECT partition_id AS id, toString(sum(rows)) AS rows, toString(max(max_block_number)) AS block
          FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active
          GROUP BY id ORDER BY id DESC`,
    params: { table },
  });
  return rows as readonly unknown[] as readonly Partition[];
}

function copying(into: string): string {
  return `INSERT INTO ${into} (`;
}

/** By ranges of users, whose numbers are spread evenly. */
async function copy(
  shard: OrderedShard,
  { into, from, columns }: Ordered,
  { id, rows }: Partition,
  signal: AbortSignal,
): Promise<void> {
  const sql = `${copying(into)}${columns}) SELECT ${columns} FROM ${from}
    WHERE _partition_id = {id:String} AND user BETWEEN {from:UInt128} AND {to:UInt128}`;
  const slices = BigInt(Math.max(1, Math.ceil(Number(rows) / ROWS_A_STATEMENT)));
  for (let slice = 0n; slice < slices; slice++) {
    const begunAt = performance.now();
    const [first, last] = [(USER_NUMBERS * slice) / slices, (USER_NUMBERS * (slice + 1n)) / slices - 1n];
    await run(shard, { sql, params: { id, from: String(first), to: String(last) } }, signal);
    await pause(performance.now() - begunAt, signal);
    signal.throwIfAborted();
  }
}

/** Where others have come meanwhile, the partition stays, and is copied again. */
async function dropUnlessGrown(
  shard: OrderedShard,
  table: string,
  { id, block }: Partition,
  signal: AbortSignal,
): Promise<void> {
  const now = (await partsByPartition(shard, table)).find((partition) => partition.id === id);
  if (now?.block !== block) return;
  await run(shard, { sql: `ALTER TABLE ${table} DROP PARTITION ID {id:String}`, params: { id } }, signal);
}

async function run({ client }: OrderedShard, { sql, params }: Query, signal: AbortSignal): Promise<void> {
  try {
    const clickhouse_settings = MOVING;
    await client.command({ query: sql, query_params: params, clickhouse_settings, abort_signal: signal });
  } catch (error) {
    signal.throwIfAborted();
    throw questionError(error, HISTORY_LIMITS);
  }
}
