/** Statements on `reader_positions`: the projector's positions. */
import type { LogCoordinates, Position, TopicPartition } from '../../event-log/event-log.ts';
import type { Queryable } from '../database/database.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { ReaderStep } from './profile-store.ts';

interface PositionRow {
  readonly topic: string;
  readonly partition: number;
  readonly next_offset: bigint;
  readonly identity: string;
}

export async function readPositions(database: Queryable, of: readonly TopicPartition[]): Promise<readonly Position[]> {
  const rows = await database.query<PositionRow>(
    `select topic, partition, next_offset, identity
     from {reader_positions}
     join unnest($1::text[], $2::int4[]) as wanted (topic, partition) using (topic, partition)`,
    [of.map(({ topic }) => topic), of.map(({ partition }) => partition)],
  );
  return rows.map(toPosition);
}

/**
 * Locks the partitions until the transaction ends: another transaction that moves one of them waits, and then finds it moved.
 * They are locked in one order everywhere, or two readers that share several could deadlock.
 *
 * @throws TidemarkError `POSITION_MOVED` where a partition's position is not `from`; some may have been moved.
 */
export async function movePositions(transaction: Queryable, steps: readonly ReaderStep[]): Promise<void> {
  await step(transaction, MOVE, steps);
}

/**
 * Notes that profiles may be ahead of the positions, up to the ends of these steps, until the positions are there.
 *
 * @throws TidemarkError `POSITION_MOVED` where a partition's position is not `from`; some may have been noted.
 */
export async function noteAhead(transaction: Queryable, steps: readonly ReaderStep[]): Promise<void> {
  await step(transaction, NOTE_AHEAD, steps);
}

/** Notes that profiles may be ahead up to these offsets, for each partition that is not there yet, wherever it is. */
export async function noteAheadTo(transaction: Queryable, ends: readonly LogCoordinates[]): Promise<void> {
  await transaction.query(
    `insert into {reader_positions} as stands (topic, partition, counted_from, next_offset, identity, ahead_to)
     select topic, partition, 0, 0, '', ahead_to
     from unnest($1::text[], $2::int4[], $3::int8[]) as wanted (topic, partition, ahead_to)
     order by topic, partition
     on conflict (topic, partition) do update
     set ahead_to = greatest(stands.ahead_to, excluded.ahead_to)
     where stands.next_offset < excluded.ahead_to`,
    [ends.map(({ topic }) => topic), ends.map(({ partition }) => partition), ends.map(({ offset }) => offset)],
  );
}

async function step(transaction: Queryable, sql: string, steps: readonly ReaderStep[]): Promise<void> {
  const [row] = await transaction.query<{ readonly moved: bigint }>(sql, stepColumns(steps));
  if (row?.moved !== BigInt(steps.length)) throw positionMoved(steps);
}

function stepStatement(change: string, begin: string): string {
  return `
    with step as (
       select * from unnest($1::text[], $2::int4[], $3::int8[], $4::text[], $5::int8[], $6::text[])
         as step (topic, partition, from_offset, from_identity, to_offset, to_identity)
     ), held as (
       select topic, partition, from_offset, to_offset, to_identity
       from {reader_positions} as stands
       join step using (topic, partition)
       where (next_offset, identity) = (from_offset, from_identity)
       order by topic, partition
       for update of stands
     ), moved as (
       update {reader_positions} as stands
       set ${change}
       from held
       where (stands.topic, stands.partition) = (held.topic, held.partition)
       returning 1
     ), begun as (
       insert into {reader_positions} (topic, partition, counted_from, next_offset, identity, ahead_to)
       select topic, partition, 0, ${begin}
       from step
       where (from_offset, from_identity) = (0, '')
       order by topic, partition
       on conflict do nothing
       returning 1
     )
     select (select count(*) from moved) + (select count(*) from begun) as moved`;
}

const MOVE = stepStatement(
  `next_offset = to_offset, identity = to_identity, counted_from = coalesce(counted_from, from_offset),
   ahead_to = case when ahead_to > to_offset then ahead_to end`,
  'to_offset, to_identity, null',
);

const NOTE_AHEAD = stepStatement('ahead_to = greatest(ahead_to, to_offset)', "0, '', to_offset");

/** Six columns: topic, partition, from (offset, identity), to (offset, identity). */
export function stepColumns(steps: readonly ReaderStep[]) {
  return [
    steps.map(({ from }) => from.topic),
    steps.map(({ from }) => from.partition),
    steps.map(({ from }) => from.offset),
    steps.map(({ from }) => from.identity),
    steps.map(({ to }) => to.offset),
    steps.map(({ to }) => to.identity),
  ];
}

export function positionMoved(steps: readonly Pick<ReaderStep, 'from'>[]): TidemarkError {
  const places = steps.map(({ from }) => `${from.topic}/${from.partition} at ${from.offset}`).join(', ');
  return new TidemarkError('POSITION_MOVED', `another reader has moved one of these partitions: ${places}`);
}

function toPosition({ topic, partition, next_offset: offset, identity }: PositionRow): Position {
  return { topic, partition, offset, identity };
}
