import type { ClickHouseSettings } from '@clickhouse/client';
import { type QueryLimits, STREAM_MS_PER_MS } from '../analytics-store.ts';
import { QUESTION_SETTINGS } from '../question-settings.ts';

/**
 * For every insert: it is acknowledged when written, creates one part per month, and no accepted message makes it fail.
 */
export const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  // Merges and FINAL remove repeats anyway. Removing those within one insert here too takes a third of its time.
  optimize_on_insert: 0,
  // One block per insert: a batch has 150,000 rows and some 64 MB at most.
  max_insert_block_size: '1000000',
  min_insert_block_size_rows: '1000000',
  min_insert_block_size_bytes: String(2 ** 30),
  // When an old log is read again, one insert may cover years of received_at.
  max_partitions_per_insert_block: '0',
  // columnKey makes keys distinct, so nothing is skipped. If it ever failed to, a path would be lost, not the message.
  type_json_skip_duplicated_paths: 1,
};

const READ_SETTINGS: ClickHouseSettings = {
  // A large set of users excludes no granule, and sorting it for the index takes longer than reading the granules.
  use_index_for_in_with_subqueries_max_values: '10000',
  readonly: '2',
  // The usual 256 KiB are fewer than a thousand texts may have. What a query takes is bounded by numbers before.
  max_query_size: '16000000',
  output_format_json_quote_64bit_integers: 1,
  ...QUESTION_SETTINGS,
  cancel_http_readonly_queries_on_client_close: 1,
  // The answer is sent only after the query has succeeded, so that a failure halfway is reported as an error.
  wait_end_of_query: 1,
};

/** For a query under these limits. */
export function questionSettings({ maxMs, maxMemoryBytes, maxRowsRead }: QueryLimits): ClickHouseSettings {
  return {
    ...READ_SETTINGS,
    max_execution_time: maxMs / 1000,
    max_memory_usage: String(maxMemoryBytes),
    max_rows_to_read: String(maxRowsRead),
  };
}

/** For a result of any length under these limits, sent while it is computed. */
export function streamSettings(limits: QueryLimits): ClickHouseSettings {
  const { maxMs } = limits;
  return {
    ...questionSettings({ ...limits, maxMs: maxMs * STREAM_MS_PER_MS }),
    wait_end_of_query: 0,
    output_format_json_escape_forward_slashes: 0,
    output_format_json_quote_64bit_integers: 0,
  };
}

/** For a query under these limits whose result is written to a table. */
export function writingSettings(limits: QueryLimits): ClickHouseSettings {
  const { readonly: _, ...settings } = questionSettings(limits);
  return {
    ...settings,
    async_insert: 0,
    // The table removes repeats itself. Deduplication by ClickHouse would drop an insert that is repeated on purpose.
    insert_deduplicate: 0,
    // Nobody reads the deleted rows any more, so the statement does not wait until ClickHouse has deleted them.
    lightweight_deletes_sync: '0',
  };
}

/** For internal look-ups by key. They are small: one that exceeds these limits indicates a fault. */
export const LOOKUP_LIMITS: QueryLimits = { maxMs: 30_000, maxMemoryBytes: 2 ** 30, maxRowsRead: 2 ** 40 };
