import type { Micros } from '../../messages/message.ts';
import type { AnalyticsReader, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { type Audience, conditionsIn } from '../definition/audience.ts';
import { QueryBudget } from '../query-budget.ts';
import { knownIds } from '../known-ids.ts';
import { Params } from '../sql/params.ts';
import { Steps } from '../steps.ts';
import { evaluated, type EvaluationNode } from './evaluation-tree.ts';
import { personOf } from '../one-user/person.ts';
import { readUser } from '../one-user/read-users.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import type { CompileOptions } from '../sql/compile.ts';
import { usersNumbered } from '../users/user-list.ts';

/** Whether one user is in an audience, and why. Plain data. */
export interface Why {
  /** The internal id. */
  readonly userKey: string;
  /** The caller's id; null if only the internal id is known. */
  readonly userId: string | null;
  /** The anonymous id of a user who is known by it alone; null for others. */
  readonly anonymousId: string | null;
  /** By the number of a user who is known by an anonymous id that is joined, that id. */
  readonly joinedIds: ReadonlyMap<string, string>;
  readonly evaluatedAt: Micros;
  /** The result of the whole definition, with the results of its parts. */
  readonly evaluation: EvaluationNode;
  readonly tookMs: number;
  readonly rowsRead: number;
}

export interface WhyOptions extends CompileOptions {
  readonly userKey: string;
  /** The maximum number of deciding events listed for each condition. */
  readonly eventsShown: number;
}

/**
 * Evaluates a definition from the user's own events and traits. The result equals that of the compiled query at the
 * same instant. Returns undefined if no message of the project names the user.
 *
 * @throws TidemarkError `QUERY_LIMIT` if a limit is exceeded, with its name; `STORE_UNAVAILABLE`, retryable.
 */
export async function explainMembership(
  reader: AnalyticsReader,
  limits: QueryLimits,
  audience: Audience,
  path: string,
  options: WhyOptions,
): Promise<Why | undefined> {
  const { now, eventsShown } = options;
  const budget = new QueryBudget(reader, limits);
  const person = await personOf(budget, options, options.userKey);
  const { userKey } = person;
  const user = await knownUser(budget, person);
  if (user === undefined) return undefined;
  const conditions = conditionsIn(audience, path);
  const at = { now, steps: new Steps(conditions) };
  const known = await readUser(
    budget,
    person,
    conditions.map(({ condition }) => condition),
    at,
  );
  const evaluation = await evaluated(audience, path, { ...known, ...at, userKey, eventsShown }, () =>
    budget.checkTime(),
  );
  const joinedIds = await anonymousIdsOf(budget, options, person.joined ?? []);
  const { tookMs, rowsRead } = budget;
  return { userKey, ...user, joinedIds, evaluatedAt: now, evaluation, tookMs, rowsRead };
}

async function anonymousIdsOf(
  budget: QueryBudget,
  options: CompileOptions,
  joined: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (joined.length === 0) return new Map();
  const users = await usersNumbered(budget, { ...options, joins: false }, joined);
  return new Map([...users].map(([number, { anonymousId }]) => [number, anonymousId ?? '']));
}

/** Undefined if no message of the project names the user. */
export async function knownUser(
  asking: QueryBudget,
  { projectId, userKey }: ProjectUser,
): Promise<Pick<Why, 'userId' | 'anonymousId'> | undefined> {
  const params = new Params();
  const sql = `SELECT count() AS n, max(user_id) AS user_id, max(anonymous_id) AS anonymous_id FROM user_rows
               WHERE project_id = ${params.string(projectId)} AND user = ${params.user(userKey)}`;
  const [row] = await asking.ask<{ n: string; user_id: string; anonymous_id: string }>({
    projectId,
    sql,
    params: params.values(),
  });
  if (row === undefined || row.n === '0') return undefined;
  const { userId, anonymousId } = knownIds(userKey, row.user_id, row.anonymous_id);
  return { userId, anonymousId };
}
