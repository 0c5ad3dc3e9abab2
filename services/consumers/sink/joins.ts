import type { Message } from '../../messages/message.ts';
import { sightingsOf } from '../../messages/sightings.ts';
import { anonymousKeyOf } from '../../messages/user-key.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { AnalyticsWriter } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { SqlSinkPlans } from '../../stores/profiles/sql-sink-plans.ts';
import type { UsersSeen } from './users-seen.ts';

export interface JoinsParts {
  readonly analytics: Pick<AnalyticsWriter, 'keepJoins'>;
  readonly plans: Pick<SqlSinkPlans, 'nextJoinNumber'>;
}

/**
 * Keeps whose the anonymous ids of an insert are, once its sightings are there: whoever has the highest number has seen all of
 * them. To be called before the insert is noted, so that a crash repeats it.
 */
export async function keepJoins(
  { analytics, plans }: JoinsParts,
  seen: readonly UsersSeen[],
  messages: readonly Message[],
): Promise<void> {
  const projects = await anonymousOf(seen, messages);
  if (projects.size === 0) return;
  const number = await plans.nextJoinNumber();
  for (const [projectId, ids] of projects) await analytics.keepJoins({ projectId, anonymous: [...ids] }, number);
}

/** By project the numbers of the users who are known by these ids alone. Yields to the event loop every 2 ms. */
async function anonymousOf(
  seen: readonly UsersSeen[],
  messages: readonly Message[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const yielder = new EventLoopYielder();
  const projects = new Map<string, Set<string>>();
  const add = (projectId: string, anonymousId: string): void => {
    let ids = projects.get(projectId);
    if (ids === undefined) projects.set(projectId, (ids = new Set<string>()));
    ids.add(userNumber(anonymousKeyOf(projectId, anonymousId)));
  };
  for (const users of seen) {
    for (const { projectId, sightings } of users.users()) {
      if (yielder.isOver()) await yielder.next();
      for (const anonymousId of sightings?.keys() ?? []) add(projectId, anonymousId);
    }
  }
  for (const message of messages) {
    if (yielder.isOver()) await yielder.next();
    for (const anonymousId of sightingsOf(message)) add(message.projectId, anonymousId);
  }
  return projects;
}
