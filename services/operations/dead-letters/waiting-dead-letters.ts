import { type FollowedParts, followDeadLetters } from './follow-dead-letters.ts';
import { IS_LISTED, IS_WAITING } from '../../stores/profiles/dead-letter-rows.ts';

export interface DeadLetterCounts {
  /** Messages, however many readers could not process one. */
  readonly messages: number;
  readonly byReader: Readonly<Record<string, number>>;
}

/** How many dead letters wait. @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
export async function countWaiting(parts: FollowedParts, signal: AbortSignal): Promise<DeadLetterCounts> {
  await followDeadLetters(parts, { signal });
  const rows = await parts.database.query<{ reader: string | null; messages: bigint }>(WAITING);
  const total = rows.find(({ reader }) => reader === null);
  const byReader = rows.flatMap(({ reader, messages }) => (reader === null ? [] : [[reader, Number(messages)]]));
  return { messages: Number(total?.messages ?? 0), byReader: Object.fromEntries(byReader) as Record<string, number> };
}

const WAITING = `
  select reader, count(distinct (topic, partition, log_offset)) as messages
  from dead_letters l
  where ${IS_LISTED} and ${IS_WAITING}
  group by grouping sets ((reader), ())`;
