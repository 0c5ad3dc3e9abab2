/** What a question needs to be answered right, whoever asks it: the service, or a person with clickhouse-client. */
export const QUESTION_SETTINGS = {
  json_type_escape_dots_in_keys: 1,
  // A repeat may lie in the next month's partition.
  do_not_merge_across_partitions_select_final: 0,
  // From the third time that it sees an aggregation, ClickHouse 26.7 compiles it, and then merges what its threads found
  // for min or max of a DateTime64 as if times before 1970 were the latest.
  compile_aggregate_expressions: 0,
  // The rows of people who are being forgotten are not seen while ClickHouse still rewrites the parts that have them.
  apply_mutations_on_fly: 1,
  // In a cluster of shards: a subquery about users reads the rows of the shard on which it runs, where theirs are.
  distributed_product_mode: 'local',
} as const;
