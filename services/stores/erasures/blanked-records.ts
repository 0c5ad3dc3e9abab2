/** The list of the records that were made blank on the log, in a Postgres-compatible database. */
import type { TopicPartition } from '../../event-log/event-log.ts';
import type { Hour } from '../../messages/day-and-hour.ts';
import { coordinateColumns } from '../profiles/unstored-messages.ts';
import type { Queryable } from '../database/database.ts';
import type { RecordCoordinates } from '../analytics/columns.ts';

/** A record that is to be blank, and what its message counted for. */
export interface BlankedRecord extends RecordCoordinates {
  readonly projectId: string;
  /** In which the message arrived. */
  readonly hour: Hour;
}

/** Messages of one project in one partition that arrived within an hour. */
export interface BlankedCell extends TopicPartition {
  readonly projectId: string;
  readonly hour: Hour;
  readonly count: number;
}

export interface BlankedFilter {
  /** The first hour. */
  readonly since?: Hour | undefined;
  /** The hour after the last. */
  readonly until?: Hour | undefined;
  readonly projectId?: string | undefined;
}

const GIVEN_PLACES = 'unnest($1::text[], $2::int4[], $3::int8[]) as given (topic, partition, log_offset)';

/** To be called before they are blank. Idempotent. */
export async function noteBlanked(database: Queryable, records: readonly BlankedRecord[]): Promise<void> {
  if (records.length === 0) return;
  await database.query(
    `insert into blanked (topic, partition, log_offset, project_id, hour)
     select * from unnest($1::text[], $2::int4[], $3::int8[], $4::text[], $5::int4[])
     on conflict do nothing`,
    [...coordinateColumns(records), records.map(({ projectId }) => projectId), records.map(({ hour }) => hour)],
  );
}

/** How many there are by partition, project and hour. */
export async function blankedCells(
  database: Queryable,
  { since, until, projectId }: BlankedFilter,
): Promise<readonly BlankedCell[]> {
  const rows = await database.query<Omit<BlankedCell, 'count'> & { readonly count: bigint }>(
    `select topic, partition, project_id as "projectId", hour, count(*) as count
     from blanked
     where ($1::int4 is null or hour >= $1) and ($2::int4 is null or hour < $2) and ($3::text is null or project_id = $3)
     group by topic, partition, project_id, hour`,
    [since ?? null, until ?? null, projectId ?? null],
  );
  return rows.map(({ count, ...cell }) => ({ ...cell, count: Number(count) }));
}

/** Those of these places that the list has. */
export function listedAmong(
  database: Queryable,
  places: readonly RecordCoordinates[],
): Promise<readonly RecordCoordinates[]> {
  if (places.length === 0) return Promise.resolve([]);
  return database.query<RecordCoordinates>(
    `select topic, partition, log_offset as "offset" from blanked join ${GIVEN_PLACES} using (topic, partition, log_offset)`,
    coordinateColumns(places),
  );
}

/** The offsets of the list in a range of a partition, in order. @param end Exclusive. */
export async function blankedBetween(
  database: Queryable,
  { topic, partition }: TopicPartition,
  first: number,
  end: number,
): Promise<readonly bigint[]> {
  const rows = await database.query<{ readonly offset: bigint }>(
    `select log_offset as "offset" from blanked
     where topic = $1 and partition = $2::int4 and log_offset >= $3::int8 and log_offset < $4::int8
     order by log_offset`,
    [topic, partition, first, end],
  );
  return rows.map(({ offset }) => offset);
}
