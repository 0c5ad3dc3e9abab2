/** Copies the rows of messages that are no longer on the log from one generation to another, on each server its own. */
import { isImported, type MessageTopic, typeOf } from '../../../messages/message.ts';
import type { CopiedMessages } from '../analytics-store.ts';
import type { ForgettingParts } from './forget-rows.ts';
import { insertError } from './errors.ts';

const TABLES = { track: 'track_rows', identify: 'identify_rows', session: 'session_rows' } as const;

/** In one statement: each takes seconds, and the copy can be ended between two of them. */
const MESSAGES_AT_ONCE = 200_000n;
const USER_SLICES = 16;

/** The rows are those that are there, so that it may be repeated: copies fold. */
const SETTINGS = {
  apply_mutations_on_fly: 1,
  max_partitions_per_insert_block: '0',
  insert_deduplicate: 0,
  json_type_escape_dots_in_keys: 1,
} as const;

/** @param from The database of the other generation, quoted, on these servers. */
export async function copyMessages(
  shards: readonly ForgettingParts[],
  from: string,
  { ranges, projectId, signal, onCopied }: CopiedMessages,
): Promise<void> {
  const ofProject = projectId === null ? '1' : 'project_id = {project:String}';
  const copy = async (table: string, condition: string, query_params: Record<string, unknown>): Promise<void> => {
    signal.throwIfAborted();
    const query = `INSERT INTO ${table} SELECT * FROM ${from}.${table} WHERE ${ofProject} AND ${condition}`;
    for (const { client } of shards) {
      try {
        await client.command({
          query,
          query_params: { ...query_params, project: projectId },
          clickhouse_settings: SETTINGS,
        });
      } catch (error) {
        throw insertError(error);
      }
    }
  };
  for (const { topic, partition, from: first, to } of ranges) {
    const ofTopic = conditionOfTopic(topic as MessageTopic);
    for (let low = first; low < to; low += MESSAGES_AT_ONCE) {
      const high = low + MESSAGES_AT_ONCE < to ? low + MESSAGES_AT_ONCE : to;
      const condition = `log_partition = {partition:UInt32} AND log_offset >= {low:UInt64} AND log_offset < {high:UInt64} AND ${ofTopic}`;
      await copy(TABLES[typeOf(topic as MessageTopic)], condition, {
        topic,
        partition,
        low: String(low),
        high: String(high),
      });
      onCopied(Number(high - low));
    }
  }
  // Each value that a trait had: a snapshot has the newest alone.
  for (let slice = 0; slice < USER_SLICES; slice++)
    await copy('trait_value_rows', `user % ${USER_SLICES} = {slice:UInt8}`, { slice });
}

/** As questions about places tell the topics of a table apart: see services/stores/analytics/columns.ts. */
function conditionOfTopic(topic: MessageTopic): string {
  if (typeOf(topic) === 'identify') return 'log_topic = {topic:String}';
  if (typeOf(topic) === 'session') return '1';
  return `precedence ${isImported(topic) ? '<' : '>='} 9223372036854775808`;
}
