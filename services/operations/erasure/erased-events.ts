/** What is particular to erasures of events, beside those of people. */
import type { Whose } from '../../stores/analytics/analytics-store.ts';
import { eventName, EVERYBODY, SOME_EVENTS, userName } from '../../stores/erasures/erased-users.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import { eventsOf } from '../../stores/erasures/sql-erased-events.ts';
import { snapshotUsers } from '../log-cut/write-snapshot.ts';
import type { RowsParts } from './erase-rows.ts';

/** The people of a project together, and each erasure of events by itself. */
export async function apart(
  { database }: Pick<RowsParts, 'database'>,
  projectId: string,
  ofProject: readonly Erasure[],
): Promise<readonly { readonly whose: Whose; readonly erasures: readonly Erasure[] }[]> {
  const people = ofProject.filter(({ userKey }) => userKey !== SOME_EVENTS);
  const all = people.length === 0 ? [] : [{ whose: whoseOf(projectId, people), erasures: people }];
  for (const erasure of ofProject.filter(isOfEvents)) {
    const events = await eventsOf(database, erasure);
    all.push({ whose: { projectId, users: [...events.keys()], events }, erasures: [erasure] });
  }
  return all;
}

/** @param ofProject Some people of it, or everybody. */
function whoseOf(projectId: string, ofProject: readonly Erasure[]): Whose {
  const users = ofProject.map(({ userKey }) => userKey);
  return users.includes(EVERYBODY) ? { projectId } : { projectId, users };
}

/** Each of these that is of events, with the names of the events, as in `ErasedUsers`. */
export async function* namesOfEvents({ database }: Pick<RowsParts, 'database'>, all: readonly Erasure[]) {
  for (const erasure of all.filter(isOfEvents)) {
    const events = await eventsOf(database, erasure);
    const ofUser = ([user, keys]: readonly [string, readonly string[]]): readonly string[] =>
      keys.map((key) => eventName(userName(erasure.projectId, user), key));
    yield [erasure, [...events].flatMap(ofUser)] as const;
  }
}

/**
 * Profiles keep when the users were seen, also by the events that are to be gone from the log: so that a replay comes to the
 * same, the log gets a snapshot of them first. It may have several.
 */
export async function keepUsersOfEvents(
  parts: Parameters<typeof snapshotUsers>[0],
  people: readonly Erasure[],
): Promise<void> {
  for (const erasure of people.filter(isOfEvents)) {
    const events = await eventsOf(parts.database, erasure);
    await snapshotUsers(parts, erasure.projectId, [...events.keys()]);
  }
}

function isOfEvents({ userKey }: Erasure): boolean {
  return userKey === SOME_EVENTS;
}
