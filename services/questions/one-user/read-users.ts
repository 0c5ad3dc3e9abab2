/** Reads what conditions test of users: of one whose membership is explained, or of many whom live audiences decide. */
import type { Condition } from '../definition/audience.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { QueryBudget } from '../query-budget.ts';
import { Steps } from '../steps.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import type { EvaluationInput } from './condition-state.ts';
import { readUserEvents, type Reading, type RowReader, type UsersWanted } from './user-events-query.ts';
import { readTraits } from './user-traits.ts';

/** What is known of a user. */
export type UserState = Pick<EvaluationInput, 'projectId' | 'traits' | 'events' | 'steps'>;

type ReadUser = UserState & Pick<Reading, 'failure'>;

/**
 * Reads one user, within the limits of a question.
 *
 * @throws TidemarkError `QUERY_LIMIT` if the user has more events than can be read, or takes too many steps; and as
 *   `AnalyticsReader.ask`.
 */
export async function readUser(
  budget: QueryBudget,
  { projectId, userKey, joined = [] }: ProjectUser,
  conditions: readonly Condition[],
  { now, steps }: AtEvaluation,
): Promise<UserState> {
  const wanted = { projectId, users: [userKey], conditions, now, joined: new Map([[userKey, joined]]) };
  const known = await readAll(budget, wanted, () => steps);
  const { failure, ...state } = known.get(userKey) as ReadUser;
  if (failure !== undefined) throw failure;
  return state;
}

/**
 * Reads these users by their internal ids. Null: the user takes too many steps.
 *
 * @throws TidemarkError `QUERY_LIMIT` if together they have more events than can be read: ask about fewer users at once; and
 *   what asking throws.
 */
export async function readUsers(
  reader: RowReader,
  wanted: UsersWanted,
): Promise<ReadonlyMap<string, UserState | null>> {
  const known = await readAll(reader, wanted, () => new Steps());
  return new Map([...known].map(([userKey, one]) => [userKey, one.failure === undefined ? one : null]));
}

async function readAll(
  reader: RowReader,
  wanted: UsersWanted,
  stepsOf: () => Steps,
): Promise<ReadonlyMap<string, ReadUser>> {
  const readings = new Map<string, Reading>(wanted.users.map((userKey) => [userNumber(userKey), { steps: stepsOf() }]));
  const [traits, events] = await Promise.all([readTraits(reader, wanted), readUserEvents(reader, wanted, readings)]);
  return new Map(
    wanted.users.map((userKey) => {
      const user = userNumber(userKey);
      const reading = readings.get(user) as Reading;
      const known = { traits: traits.get(user) ?? new Map(), events: events.get(user) ?? new Map() };
      return [userKey, { ...reading, ...known, projectId: wanted.projectId }];
    }),
  );
}
