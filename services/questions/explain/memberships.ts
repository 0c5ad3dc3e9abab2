import type { Micros } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';
import { type Audience, conditionsIn } from '../definition/audience.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import type { QueryBudget } from '../query-budget.ts';
import { Steps } from '../steps.ts';
import { evaluated } from './evaluation-tree.ts';
import { personsOf } from '../one-user/person.ts';
import { readUser, readUsers } from '../one-user/read-users.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import type { CompileOptions } from '../sql/compile.ts';
import { knownUser } from './why.ts';

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
  user: ProjectUser,
  now: Micros,
): Promise<readonly Membership[] | undefined> {
  if ((await knownUser(budget, user)) === undefined) return undefined;
  const memberships: Membership[] = [];
  for (const group of inGroups(audiences)) {
    const at = { now, steps: new Steps() };
    memberships.push(...(await evaluatedTogether(budget, group, user, at)));
  }
  return memberships;
}

async function evaluatedTogether(
  budget: QueryBudget,
  audiences: readonly Audience[],
  user: ProjectUser,
  at: AtEvaluation,
): Promise<readonly Membership[]> {
  const conditions = audiences.flatMap((audience) => conditionsIn(audience, '').map(({ condition }) => condition));
  const known = await readUser(budget, user, conditions, at);
  const memberships: Membership[] = [];
  for (const audience of audiences) {
    const input = { ...known, ...at, userKey: user.userKey, eventsShown: 0 };
    const { isMet, changesAt } = await evaluated(audience, '', input, () => budget.checkTime());
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

/**
 * When time alone changes whether each of these users is in an audience, by their internal ids: as `changesAt` of
 * `readMemberships`. Those of whom too much would have to be read are left out.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
 */
export async function readChangesAt(
  budget: QueryBudget,
  audience: Audience,
  users: readonly string[],
  { projectId, joins, now }: CompileOptions,
): Promise<ReadonlyMap<string, Micros | null>> {
  const found = new Map<string, Micros | null>();
  await unlessTooMuch(async () => {
    const conditions = conditionsIn(audience, '').map(({ condition }) => condition);
    const persons = joins === true ? await personsOf(budget, projectId, users) : undefined;
    const joined = new Map(users.map((user) => [user, persons?.get(user)?.joined ?? []]));
    for (const [userKey, known] of await readUsers(budget, { projectId, users, conditions, now, joined })) {
      await unlessTooMuch(async () => {
        if (known === null) return;
        const input = { ...known, now, userKey, eventsShown: 0 };
        found.set(userKey, (await evaluated(audience, '', input, () => budget.checkTime())).changesAt);
      });
    }
  });
  return found;
}

async function unlessTooMuch(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!hasCode(error, 'QUERY_LIMIT')) throw error;
  }
}
