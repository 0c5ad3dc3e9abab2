import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { beginningOf } from '../../../event-log/identity.ts';
import type { Position, TopicPartition } from '../../../event-log/event-log.ts';
import type { IngestedRange, Query, QueryResult } from '../analytics-store.ts';
import { RowBinary } from '../row-binary.ts';

/** The position up to which a partition is ingested without a gap. */
interface StoredRow {
  readonly topic: string;
  readonly log_partition: number;
  readonly held_to: string;
  readonly held_identity: string;
}

export const INGESTED_RANGE_COLUMNS = 'topic, log_partition, from_offset, to_offset, identity';

/** Rows for `held_ranges`, if there are any. */
export function rangeRows(ranges: readonly IngestedRange[]): readonly Uint8Array[] {
  if (ranges.length === 0) return [];
  const out = new RowBinary();
  for (const { topic, partition, from, to } of ranges) {
    out.string(topic);
    out.uint32(partition);
    out.uint64(from);
    out.uint64(to.offset);
    out.string(to.identity);
  }
  return [out.bytes()];
}

/** The ranges that cover offset 0 onward without a gap, of those that satisfy a condition. They may overlap. */
function withoutHole(condition: string): string {
  return `
  SELECT topic, log_partition, to_offset, identity
  FROM (
    SELECT topic, log_partition, to_offset, identity,
           max(is_after_hole) OVER (PARTITION BY topic, log_partition ORDER BY from_offset, to_offset) AS is_beyond
    FROM (
      SELECT topic, log_partition, from_offset, to_offset, identity,
             from_offset > max(to_offset) OVER (PARTITION BY topic, log_partition ORDER BY from_offset, to_offset
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_after_hole
      FROM held_ranges
      WHERE ${condition}
    )
  )
  WHERE NOT is_beyond`;
}

/** The end of the ranges that cover offset 0 onward without a gap. They may overlap if one was inserted again. */
function ingestedRangesQuery(partitions: readonly TopicPartition[]): Query {
  return {
    sql: `SELECT topic, log_partition, max(to_offset) AS held_to, argMax(identity, to_offset) AS held_identity
          FROM (${withoutHole('topic IN {topics:Array(String)}')})
          GROUP BY topic, log_partition`,
    params: { topics: [...new Set(partitions.map(({ topic }) => topic))] },
  };
}

// Each insert records one range per partition. With one insert a second and a few partitions, a year would have
// hundreds of millions of rows, and ten million already exceed the memory of `ingestedRangesQuery`.
const SUMMED_UP_ROWS = 1_000;

/** The condition for ranges whose rows are certainly on the disk. */
const LONG_AGO = 'now() - INTERVAL 1 HOUR';

/**
 * If a partition has many old ranges, adds one row that summarizes them. A summary is always trusted, because the rows
 * of its ranges are on the disk. The summary itself may be lost in a power failure, so its ranges are kept for a while.
 */
const SUM_UP = `
  INSERT INTO held_ranges (topic, log_partition, from_offset, to_offset, identity, is_summary)
  SELECT topic, log_partition, 0, max(to_offset), argMax(identity, to_offset), true
  FROM (${withoutHole(`is_summary OR noted_at < ${LONG_AGO}`)})
  GROUP BY topic, log_partition
  HAVING count() > ${SUMMED_UP_ROWS}`;

/** The ends of summaries that are old enough for the ranges below them to be deleted, if there are any. */
interface SummaryRow {
  readonly place: string;
  readonly summed_to: string;
}

const SUMMARIES: Query = {
  sql: `SELECT concat(topic, '/', toString(log_partition)) AS place,
               maxIf(to_offset, is_summary AND noted_at < ${LONG_AGO}) AS summed_to
        FROM held_ranges
        GROUP BY place
        HAVING min(to_offset) < summed_to`,
  params: {},
};

/**
 * Deletes every row that ends below, including older summaries. Independent of time: all replicas must delete the same.
 */
function forgettingSummed(summaries: readonly SummaryRow[]): Query {
  return {
    sql: `ALTER TABLE held_ranges
          DELETE WHERE to_offset < transform(concat(topic, '/', toString(log_partition)),
                                             {places:Array(String)}, {ends:Array(UInt64)}, toUInt64(0))`,
    params: {
      places: summaries.map(({ place }) => place),
      ends: summaries.map(({ summed_to }) => BigInt(summed_to)),
    },
  };
}

// Linux flushes written data to the disk within about half a minute. ClickHouse, which does not flush its parts itself,
// keeps the parts that a merge replaced for eight minutes.
const DOUBTFUL_MINUTES = 15;

/**
 * Deletes the last ranges recorded before the machine crashed, because their rows may have been only in memory. The
 * sink then inserts those ranges again, which changes no result. Flushing each insert instead would take some fifty
 * flushes of small files per second, and on a shared disk the flushes of the event log wait for them (measured: ingest
 * a fifth slower).
 */
export const FORGET_DOUBTFUL = `
  ALTER TABLE held_ranges
  DELETE WHERE NOT is_summary
           AND noted_at > (SELECT max(noted_at) FROM held_ranges WHERE NOT is_summary) - INTERVAL ${DOUBTFUL_MINUTES} MINUTE
  SETTINGS mutations_sync = 1`;

/** Returns a position for each given partition: its beginning if nothing is ingested. */
function positionsOf(partitions: readonly TopicPartition[], rows: readonly StoredRow[]): readonly Position[] {
  const ranges = new Map(rows.map((row) => [`${row.topic}/${row.log_partition}`, row]));
  return partitions.map(({ topic, partition }) => {
    const row = ranges.get(`${topic}/${partition}`);
    if (row === undefined) return beginningOf({ topic, partition });
    return { topic, partition, offset: BigInt(row.held_to), identity: row.held_identity };
  });
}

export interface IngestedRangesParts {
  readonly client: Pick<ClickHouseClient, 'command'>;
  /** One for each server that has a `held_ranges` of its own. */
  readonly shards: readonly Pick<ClickHouseClient, 'command'>[];
  /** Runs an internal look-up. */
  readonly ask: (query: Query) => Promise<QueryResult>;
  readonly insertSettings: ClickHouseSettings;
}

/** Reads `held_ranges`, and keeps the table small. */
export class IngestedRanges {
  readonly #parts: IngestedRangesParts;

  constructor(parts: IngestedRangesParts) {
    this.#parts = parts;
  }

  /** As `AnalyticsWriter.ingestedUpTo`. */
  async upTo(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    const { rows } = await this.#parts.ask(ingestedRangesQuery(partitions));
    return positionsOf(partitions, rows as readonly unknown[] as readonly StoredRow[]);
  }

  /** As `AnalyticsWriter.compactIngested`. @throws also what the client throws. */
  async compact(): Promise<void> {
    const { client, shards, ask, insertSettings } = this.#parts;
    const { rows } = await ask(SUMMARIES);
    if (rows.length > 0) {
      const { sql, params } = forgettingSummed(rows as readonly unknown[] as readonly SummaryRow[]);
      for (const shard of shards) await shard.command({ query: sql, query_params: params });
    }
    await client.command({ query: SUM_UP, clickhouse_settings: insertSettings });
  }
}
