import type { ClickHouseSettings } from '@clickhouse/client';
import { type QueryLimits, STREAM_MS_PER_MS } from '../analytics-store.ts';
import { QUESTION_SETTINGS } from '../question-settings.ts';

/** For every insert: answered when it is written, one part per month, and no accepted message fails it. */
export const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  // In parallel an insert takes a sixth more of the processors (of a server) to a third (in one process with ingest), and is
  // no faster where they are busy: five tables come at once as it is.
  input_format_parallel_parsing: 0,
  // Repeats within one insert are folded with all others, by merges and by FINAL: folding them here too takes a third of
  // the time of an insert.
  optimize_on_insert: 0,
  // One block per insert: a batch has 150,000 rows and some 64 MB at most.
  max_insert_block_size: '1000000',
  min_insert_block_size_rows: '1000000',
  min_insert_block_size_bytes: String(2 ** 30),
  // Reading an old log again, one insert may cover years of received_at.
  max_partitions_per_insert_block: '0',
  json_type_escape_dots_in_keys: 1,
  // columnKey keeps keys apart, so nothing is skipped; were it ever wrong, a path is lost rather than the message.
  type_json_skip_duplicated_paths: 1,
  // Without it ClickHouse may be off by the last bit.
  precise_float_parsing: 1,
  input_format_json_infer_incomplete_types_as_strings: 1,
  input_format_json_try_infer_numbers_from_strings: 0,
  // Leaves a column to its default.
  input_format_null_as_default: 1,
  // Each member of an array keeps its own type.
  input_format_json_read_bools_as_numbers: 0,
  input_format_json_read_bools_as_strings: 0,
  input_format_json_read_numbers_as_strings: 0,
  input_format_json_read_arrays_as_strings: 0,
  input_format_json_read_objects_as_strings: 0,
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
};

const READ_SETTINGS: ClickHouseSettings = {
  // A large set of users leaves out no granule, and sorting it for that look takes longer than the granules.
  use_index_for_in_with_subqueries_max_values: '10000',
  readonly: '2',
  output_format_json_quote_64bit_integers: 1,
  ...QUESTION_SETTINGS,
  cancel_http_readonly_queries_on_client_close: 1,
  // Answered when it is known to have succeeded: a failure half way is then told as one.
  wait_end_of_query: 1,
};

/** For a question under these limits. */
export function questionSettings({ maxMs, maxMemoryBytes, maxRowsRead }: QueryLimits): ClickHouseSettings {
  return {
    ...READ_SETTINGS,
    max_execution_time: maxMs / 1000,
    max_memory_usage: String(maxMemoryBytes),
    max_rows_to_read: String(maxRowsRead),
  };
}

/** For an answer of any length under these limits, sent as it is computed. */
export function streamSettings(limits: QueryLimits): ClickHouseSettings {
  const { maxMs } = limits;
  return {
    ...questionSettings({ ...limits, maxMs: maxMs * STREAM_MS_PER_MS }),
    wait_end_of_query: 0,
    output_format_json_escape_forward_slashes: 0,
    output_format_json_quote_64bit_integers: 0,
  };
}

/** For a question under these limits whose answer goes into a table. */
export function writingSettings(limits: QueryLimits): ClickHouseSettings {
  const { readonly: _, ...settings } = questionSettings(limits);
  return {
    ...settings,
    async_insert: 0,
    // What is written twice is meant twice: it folds.
    insert_deduplicate: 0,
    // What is deleted is seen by nobody any more: it is written down, and done when ClickHouse comes to it.
    lightweight_deletes_sync: '0',
  };
}

/** For our own look-ups by key: small, so that one past this is a fault. */
export const LOOKUP_LIMITS: QueryLimits = { maxMs: 30_000, maxMemoryBytes: 2 ** 30, maxRowsRead: 2 ** 40 };
