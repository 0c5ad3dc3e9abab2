import { type FollowedParts, followDeadLetters } from './follow-dead-letters.ts';
import { IS_LISTED, IS_WAITING } from '../../stores/profiles/dead-letter-rows.ts';

export interface DeadLetterCounts {
  /** Messages, however many readers could not process one. */
  readonly messages: number;
  readonly byReader: Readonly<Record<string, number>>;
  /** By the id; a message that cannot be decoded is of no project. */
  readonly byProject: Readonly<Record<string, number>>;
}

/** How many dead letters wait. @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
export async function countWaiting(parts: FollowedParts, signal: AbortSignal): Promise<DeadLetterCounts> {
  await followDeadLetters(parts, { signal });
  const rows = await parts.database.query<WaitingRow>(WAITING);
  const countsBy = (by: WaitingRow['by']): Readonly<Record<string, number>> =>
    Object.fromEntries(rows.flatMap((row) => (row.by === by ? [[row.name, Number(row.messages)]] : [])));
  return { messages: countsBy('all')[''] ?? 0, byReader: countsBy('reader'), byProject: countsBy('project') };
}

interface WaitingRow {
  readonly by: 'all' | 'reader' | 'project';
  readonly name: string;
  readonly messages: bigint;
}

const WAITING = `
  select case grouping(reader, project_id) when 1 then 'reader' when 2 then 'project' else 'all' end as by,
         coalesce(reader, project_id, '') as name, count(distinct (topic, partition, log_offset)) as messages
  from dead_letters l
  where ${IS_LISTED} and ${IS_WAITING}
  group by grouping sets ((reader), (project_id), ())`;
