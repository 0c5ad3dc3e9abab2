import type { Micros } from '../../messages/message.ts';
import { type Audience, conditionsIn } from '../definition/audience.ts';
import type { QueryBudget } from '../query-budget.ts';
import { EvaluationTree } from './evaluation-tree.ts';
import type { OneUser } from './user-events-query.ts';
import { knownUser, readKnown } from './why.ts';

/** Whether a user is in an audience. Plain data. */
export interface Membership {
  readonly isMember: boolean;
  /** The earliest instant after the evaluation at which that changes if no further message arrives; null: never. */
  readonly changesAt: Micros | null;
}

// Bounds a query: each condition adds a few parameters to it.
const CONDITIONS_AT_ONCE = 200;

/**
 * Evaluates definitions for one user at one instant, each as `explainMembership` does; what several test is read once.
 * Returns the results in the order of the definitions, or undefined if no message of the project names the user.
 *
 * @throws TidemarkError `QUERY_LIMIT` if a limit is exceeded, with its name; `STORE_UNAVAILABLE`, retryable.
 */
export async function readMemberships(
  budget: QueryBudget,
  audiences: readonly Audience[],
  user: OneUser,
  now: Micros,
): Promise<readonly Membership[] | undefined> {
  if ((await knownUser(budget, user)) === undefined) return undefined;
  const memberships: Membership[] = [];
  for (const group of inGroups(audiences)) memberships.push(...(await evaluated(budget, group, user, now)));
  return memberships;
}

async function evaluated(
  budget: QueryBudget,
  audiences: readonly Audience[],
  user: OneUser,
  now: Micros,
): Promise<readonly Membership[]> {
  const conditions = audiences.flatMap((audience) => conditionsIn(audience, '').map(({ condition }) => condition));
  const known = await readKnown(budget, user, conditions, now);
  const memberships: Membership[] = [];
  for (const audience of audiences) {
    const tree = new EvaluationTree(audience, '', { ...known, userKey: user.userKey, now, eventsShown: 0 });
    await tree.lookAhead(() => budget.checkTime());
    const { isMet, changesAt } = tree.root;
    memberships.push({ isMember: isMet, changesAt });
  }
  return memberships;
}

/** In order, each of few conditions or of one definition. */
function inGroups(audiences: readonly Audience[]): readonly (readonly Audience[])[] {
  const groups: Audience[][] = [];
  let room = 0;
  for (const audience of audiences) {
    const size = conditionsIn(audience, '').length;
    if (size > room) {
      groups.push([]);
      room = CONDITIONS_AT_ONCE;
    }
    groups.at(-1)?.push(audience);
    room -= size;
  }
  return groups;
}
