import type { RecordCoordinates } from '../analytics/columns.ts';
import type { Database, Queryable, SqlValue } from '../database/database.ts';
import { SchemaDatabase } from '../database/schema-database.ts';
import type { Position, TopicPartition } from '../../event-log/event-log.ts';
import { FIRST_GENERATION, schemaOf } from '../generations/generation.ts';
import { enterClaims, releaseClaims } from './claims.ts';
import { SqlJoinDecisions } from './sql-join-decisions.ts';
import { refuseWhilePaused } from './refuse-while-paused.ts';
import { positionMoved, stepColumns } from './positions.ts';
import type { Claim, Plan, ReaderStep } from './profile-store.ts';
import { noteUnstored } from './unstored-messages.ts';

/**
 * The plans of the sink of one generation of analytics, in a Postgres-compatible database: its position and the range of its
 * next insert, a row for each partition.
 */
export class SqlSinkPlans {
  readonly #database: Database;
  readonly #generation: number;
  readonly joins: SqlJoinDecisions;

  constructor(database: Database, generation = FIRST_GENERATION) {
    this.#database = new SchemaDatabase(database, schemaOf('analytics', generation));
    this.#generation = generation;
    this.joins = new SqlJoinDecisions(database);
  }

  /** The last plan of each partition; partitions never planned are left out. */
  async last(partitions: readonly TopicPartition[]): Promise<readonly Plan[]> {
    const rows = await this.#database.query<PlanRow>(LAST, [
      partitions.map(({ topic }) => topic),
      partitions.map(({ partition }) => partition),
    ]);
    return rows.map(toPlan);
  }

  /**
   * One transaction: replaces each partition's last plan (which must be inserted and end at `from`, or not exist where
   * `from` is the beginning) by this step, not yet inserted; enters the claims; says which count.
   *
   * @throws TidemarkError `POSITION_MOVED`: nothing is written.
   */
  async fix(steps: readonly ReaderStep[], claims: readonly Claim[]): Promise<readonly boolean[]> {
    return this.#database.transaction(async (transaction) => {
      await refuseWhilePaused(transaction, 'analytics', this.#generation);
      await expectAll(transaction, FIX, steps, stepColumns(steps));
      return enterClaims(transaction, 'sink', claims);
    });
  }

  /** Which of these claims count, entering those that are new: for a plan that is inserted again after a crash. */
  async claim(claims: readonly Claim[]): Promise<readonly boolean[]> {
    return this.#database.transaction((transaction) => enterClaims(transaction, 'sink', claims));
  }

  /**
   * Takes back those of these claims that count: their messages became dead letters. A copy that is appended later then
   * counts. Call it before the plan is finished. May be repeated.
   */
  async release(claims: readonly Claim[]): Promise<void> {
    await releaseClaims(this.#database, 'sink', claims);
  }

  /**
   * Marks the last plans, which end at these positions, as inserted, and records which of their messages are not.
   *
   * @throws TidemarkError `POSITION_MOVED`.
   */
  async finish(ends: readonly Position[], unstored: readonly RecordCoordinates[] = []): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const steps = ends.map((end) => ({ from: end, to: end }));
      await expectAll(transaction, FINISH, steps, stepColumns(steps).slice(0, 4));
      await noteUnstored(transaction, 'sink', this.#generation, unstored);
    });
  }

  /** The partition stands at its plan's `to` where that is inserted, else at its `from`. */
  async rewind(from: Position, to: Position, logEnd: bigint): Promise<void> {
    const steps = [{ from, to }];
    await this.#database.transaction((transaction) =>
      expectAll(transaction, REWIND, steps, [...stepColumns(steps), logEnd]),
    );
  }
}

interface PlanRow {
  readonly topic: string;
  readonly partition: number;
  readonly from_offset: bigint;
  readonly from_identity: string;
  readonly to_offset: bigint;
  readonly to_identity: string;
  readonly inserted: boolean;
}

const LAST = `
  select topic, partition, from_offset, from_identity, to_offset, to_identity, inserted
  from {sink_plans}
  join unnest($1::text[], $2::int4[]) as wanted (topic, partition) using (topic, partition)`;

const STEP = `
  step as (
    select * from unnest($1::text[], $2::int4[], $3::int8[], $4::text[], $5::int8[], $6::text[])
      as step (topic, partition, next_from, next_from_identity, next_to, next_to_identity)
  )`;

// Each holds the plans that it changes until the transaction ends, locked in one order everywhere, as positions are.
const HELD = 'order by topic, partition for update of stored';
const IS_HELD = '(plan.topic, plan.partition) = (held.topic, held.partition)';

const FIX = `
  with ${STEP}, held as (
    select step.*
    from {sink_plans} as stored
    join step using (topic, partition)
    where inserted and (to_offset, to_identity) = (next_from, next_from_identity)
    ${HELD}
  ), replaced as (
    update {sink_plans} as plan
    set from_offset = next_from, from_identity = next_from_identity,
        to_offset = next_to, to_identity = next_to_identity, inserted = false,
        rows_from = coalesce(rows_from, next_from)
    from held
    where ${IS_HELD}
    returning 1
  ), begun as (
    insert into {sink_plans} (topic, partition, from_offset, from_identity, to_offset, to_identity, inserted, rows_from)
    select topic, partition, next_from, next_from_identity, next_to, next_to_identity, false, 0
    from step
    where (next_from, next_from_identity) = (0, '')
    order by topic, partition
    on conflict do nothing
    returning 1
  )
  select (select count(*) from replaced) + (select count(*) from begun) as done`;

const FINISH = `
  with held as (
    select topic, partition
    from {sink_plans} as stored
    join unnest($1::text[], $2::int4[], $3::int8[], $4::text[]) as planned (topic, partition, planned_end, planned_identity)
      using (topic, partition)
    where (to_offset, to_identity) = (planned_end, planned_identity)
    ${HELD}
  ), finished as (
    update {sink_plans} as plan
    set inserted = true
    from held
    where ${IS_HELD}
    returning 1
  )
  select count(*) as done from finished`;

const REWIND = `
  with ${STEP}, rewound as (
    update {sink_plans} as plan
    set from_offset = next_to, from_identity = next_to_identity,
        to_offset = next_to, to_identity = next_to_identity, inserted = true,
        rows_from = least(rows_from, next_to), behind_until = greatest(behind_until, next_from, $7::int8)
    from step
    where (plan.topic, plan.partition) = (step.topic, step.partition)
      and case when inserted then to_offset else from_offset end = next_from
      and case when inserted then to_identity else from_identity end = next_from_identity
    returning 1
  )
  select count(*) as done from rewound`;

async function expectAll(
  transaction: Queryable,
  sql: string,
  steps: readonly ReaderStep[],
  columns: readonly SqlValue[],
): Promise<void> {
  const [row] = await transaction.query<{ readonly done: bigint }>(sql, columns);
  if (row?.done !== BigInt(steps.length)) throw positionMoved(steps);
}

function toPlan(row: PlanRow): Plan {
  const { topic, partition, inserted } = row;
  const from = { topic, partition, offset: row.from_offset, identity: row.from_identity };
  return { from, to: { topic, partition, offset: row.to_offset, identity: row.to_identity }, inserted };
}
