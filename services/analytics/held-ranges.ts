import { beginningOf } from '../event-log/identity.ts';
import type { Position, TopicPartition } from '../event-log/event-log.ts';
import type { HeldRange, Query } from './analytics-store.ts';

/** How far a partition is held without a hole, as it is read. */
export interface HeldRow {
  readonly topic: string;
  readonly log_partition: number;
  readonly held_to: string;
  readonly held_identity: string;
}

export const HELD_RANGE_COLUMNS = 'topic, log_partition, from_offset, to_offset, identity';

/** A range as a line for `held_ranges`: the values of its columns as a JSON array. */
export function heldRangeLine({ topic, partition, from, to }: HeldRange): Uint8Array {
  return Buffer.from(`${JSON.stringify([topic, partition, String(from), String(to.offset), to.identity])}\n`);
}

/** The end of the ranges that reach from offset 0 without a hole; they may overlap where one was inserted again. */
export function heldQuery(partitions: readonly TopicPartition[]): Query {
  return {
    sql: `SELECT topic, log_partition, max(to_offset) AS held_to, argMax(identity, to_offset) AS held_identity
          FROM (
            SELECT topic, log_partition, to_offset, identity,
                   max(is_after_hole) OVER (PARTITION BY topic, log_partition ORDER BY from_offset, to_offset) AS is_beyond
            FROM (
              SELECT topic, log_partition, from_offset, to_offset, identity,
                     from_offset > max(to_offset) OVER (PARTITION BY topic, log_partition ORDER BY from_offset, to_offset
                                                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_after_hole
              FROM held_ranges
              WHERE topic IN {topics:Array(String)}
            )
          )
          WHERE NOT is_beyond
          GROUP BY topic, log_partition`,
    params: { topics: [...new Set(partitions.map(({ topic }) => topic))] },
  };
}

// Linux writes what was written to a file to the disk within about half a minute; ClickHouse, which does not flush its
// parts by itself either, keeps the parts that a merge has replaced for eight.
const DOUBTFUL_MINUTES = 15;

/**
 * Forgets what was noted last before the machine went down: its rows may have been in memory alone. The sink then
 * inserts those ranges again, which changes no answer. Flushing each insert instead takes some fifty flushes a second
 * of small files, and on a shared disk the event log's own flush waits behind them (measured: ingest a fifth slower).
 */
export const FORGET_DOUBTFUL = `
  ALTER TABLE held_ranges
  DELETE WHERE noted_at > (SELECT max(noted_at) FROM held_ranges) - INTERVAL ${DOUBTFUL_MINUTES} MINUTE
  SETTINGS mutations_sync = 1`;

/** A position for each partition asked for: its beginning where nothing is held. */
export function positionsOf(partitions: readonly TopicPartition[], rows: readonly HeldRow[]): readonly Position[] {
  const held = new Map(rows.map((row) => [`${row.topic}/${row.log_partition}`, row]));
  return partitions.map(({ topic, partition }) => {
    const row = held.get(`${topic}/${partition}`);
    if (row === undefined) return beginningOf({ topic, partition });
    return { topic, partition, offset: BigInt(row.held_to), identity: row.held_identity };
  });
}
