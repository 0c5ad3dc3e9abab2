/** The person whom an id names, where a project joins ids: as analytics has them. */
import { userNumber } from '../../stores/analytics/columns.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import { userEventsWhere } from '../../stores/analytics/user-events.ts';
import type { JoinedId } from '../../stores/profiles/profile.ts';
import type { QueryBudget } from '../query-budget.ts';
import type { CompileOptions } from '../sql/compile.ts';
import { Params } from '../sql/params.ts';
import type { RowReader } from './user-events-query.ts';

interface IdRow {
  /** Numbers. */
  readonly user: string;
  readonly person: string;
  /** '' where no message names the user by this id alone. */
  readonly internal_id: string;
}

/** A user with the ids that are theirs. Where ids are not joined, the user alone. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function personOf(
  budget: QueryBudget,
  { projectId, joins }: Pick<CompileOptions, 'projectId' | 'joins'>,
  userKey: string,
): Promise<ProjectUser> {
  if (joins !== true) return { projectId, userKey };
  const persons = await personsOf(budget, projectId, [userKey]);
  return { projectId, userKey, ...persons.get(userKey) };
}

/** Whose rows are a person's. */
export interface Person {
  /** The internal id of the person: that of a user. */
  readonly userKey: string;
  /** The numbers of those who are known by an anonymous id that is theirs. */
  readonly joined: readonly string[];
}

/** The persons of these users, by the internal id that was given. One of whom nothing is known is left out. @throws What asking throws. */
export async function personsOf(
  reader: Pick<RowReader, 'ask'>,
  projectId: string,
  userKeys: readonly string[],
): Promise<ReadonlyMap<string, Person>> {
  const params = new Params();
  const project = `project_id = ${params.string(projectId)}`;
  const these = params.userNumbers(userKeys.map(userNumber));
  const joined = `SELECT user, person FROM join_rows FINAL WHERE ${project} AND person != 0`;
  const owners = `SELECT person FROM (${joined} AND user IN ${these})`;
  // Analytics finds whom a user was seen with by the key, and whose an id is.
  const isTheirs = (column: string): string => `${project} AND (${column} IN ${these} OR ${column} IN (${owners}))`;
  const seen =
    `SELECT anonymous FROM sighting_rows WHERE ${isTheirs('user')} ` +
    `UNION ALL SELECT user FROM join_decision_rows WHERE ${isTheirs('person')}`;
  const ids =
    `SELECT user, person FROM (${joined} AND (user IN ${these} OR user IN (${seen}))) ` +
    `UNION ALL SELECT person AS user, person FROM (${joined} AND user IN ${these}) ` +
    `UNION ALL SELECT arrayJoin(${these}) AS user, user AS person`;
  const sql =
    `SELECT toString(ids.user) AS user, toString(ids.person) AS person, max(known.internal_id) AS internal_id ` +
    `FROM (SELECT DISTINCT user, person FROM (${ids})) AS ids ` +
    `LEFT JOIN (SELECT user, internal_id FROM user_rows WHERE ${project} AND user IN (SELECT user FROM (${ids}))) AS known ` +
    `ON ids.user = known.user GROUP BY ids.user, ids.person`;
  const rows = (await reader.ask({ projectId, sql, params: params.values() })) as readonly IdRow[];
  return foundPersons(rows, userKeys);
}

/** Whose the ids with these numbers are, by number: of those that are somebody's. @throws What asking throws. */
export async function ownersAmong(
  reader: Pick<RowReader, 'ask'>,
  projectId: string,
  users: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const params = new Params();
  const sql =
    `SELECT user, person FROM join_rows FINAL ` +
    `WHERE project_id = ${params.string(projectId)} AND user IN ${params.userNumbers(users)} AND person != 0`;
  const rows = (await reader.ask({ projectId, sql, params: params.values() })) as readonly Omit<IdRow, 'internal_id'>[];
  return new Map(rows.map(({ user, person }) => [user, person]));
}

function foundPersons(rows: readonly IdRow[], userKeys: readonly string[]): ReadonlyMap<string, Person> {
  const byPerson = Map.groupBy(rows, ({ person }) => person);
  const owners = new Map(rows.flatMap(({ user, person }) => (user === person ? [] : [[user, person] as const])));
  const found = new Map<string, Person>();
  for (const userKey of userKeys) {
    const number = userNumber(userKey);
    const person = owners.get(number) ?? number;
    const ids = byPerson.get(person) ?? [];
    const known = ids.find(({ user }) => user === person)?.internal_id ?? '';
    const joined = ids.flatMap(({ user }) => (user === person ? [] : user));
    if (known !== '') found.set(userKey, { userKey: known, joined });
  }
  return found;
}

/** By anonymous id the first message of the user that gave it, where analytics has it. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function joinedBy(
  budget: QueryBudget,
  projectId: string,
  userKey: string,
  joined: readonly JoinedId[],
): Promise<ReadonlyMap<string, string>> {
  const params = new Params();
  const conditions = [
    `project_id = ${params.string(projectId)}`,
    `user = ${params.user(userKey)}`,
    `anonymous_id IN ${params.strings(joined.map(({ anonymousId }) => anonymousId))}`,
    `toUnixTimestamp64Micro(timestamp) IN ${params.manyMicros(joined.flatMap(({ since }) => since ?? []))}`,
  ];
  const list = 'anonymous_id, message_id, timestamp, received_at';
  const sql =
    `SELECT anonymous_id, argMin(message_id, (timestamp, received_at)) AS message_id FROM (` +
    `SELECT ${list} FROM ${userEventsWhere(conditions)} ` +
    `UNION ALL SELECT ${list} FROM identify_rows WHERE ${conditions.join(' AND ')}) GROUP BY anonymous_id`;
  const rows = await budget.ask<{ anonymous_id: string; message_id: string }>({
    projectId,
    sql,
    params: params.values(),
  });
  return new Map(rows.map(({ anonymous_id: id, message_id: messageId }) => [id, messageId]));
}
