/** Makes the records of people who were forgotten blank on a log whose records can be overwritten. */
import type { EventLog } from '../../event-log/event-log.ts';
import type { CommandCall } from '../../runtime/command.ts';
import type { Database } from '../../stores/database/database.ts';
import { noteBlanked } from '../../stores/erasures/blanked-records.ts';
import type { ErasedUsers } from '../../stores/erasures/erased-users.ts';
import { findForgotten, type FindParts, type ForgottenRecord } from './forgotten-records.ts';

export interface BlankParts extends FindParts {
  readonly log: FindParts['log'] & Required<Pick<EventLog, 'erase'>>;
  readonly database: Database;
}

/** What makes records blank on this log; undefined where its records cannot be overwritten. */
export function blankerOn({ log, ...parts }: Omit<BlankParts, 'log'> & { readonly log: EventLog }) {
  if (!canErase(log)) return undefined;
  return (erased: ErasedUsers, call: Pick<CommandCall, 'report' | 'signal'>) => {
    return blankRecords({ ...parts, log }, erased, call);
  };
}

function canErase(log: EventLog): log is EventLog & Required<Pick<EventLog, 'erase'>> {
  return log.erase !== undefined;
}

// Appends wait while the records of one call are overwritten.
const RECORDS_AT_ONCE = 256;

/**
 * How many records were made blank, by the name of the person as in `ErasedUsers` and by topic. Each is listed in the
 * database before it is blank, so after a crash no blank record is unknown, and the next run finds what is left. Messages
 * that are appended meanwhile are left to the next run.
 *
 * @throws TidemarkError What the log and the database throw; the signal's reason.
 */
export async function blankRecords(
  { log, codec, database }: BlankParts,
  erased: ErasedUsers,
  call: Pick<CommandCall, 'report' | 'signal'>,
): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const blanked = new Map<string, Record<string, number>>();
  for await (const found of findForgotten({ log, codec }, erased, call)) {
    for (let start = 0; start < found.length; start += RECORDS_AT_ONCE) {
      call.signal.throwIfAborted();
      const some = found.slice(start, start + RECORDS_AT_ONCE);
      await noteBlanked(database, some);
      await log.erase(some);
      for (const record of some) addTo(blanked, record);
    }
  }
  return blanked;
}

function addTo(blanked: Map<string, Record<string, number>>, { name, topic }: ForgottenRecord): void {
  const byTopic = blanked.get(name) ?? {};
  byTopic[topic] = (byTopic[topic] ?? 0) + 1;
  blanked.set(name, byTopic);
}
