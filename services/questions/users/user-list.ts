/** The users of a project, those seen last first: all of them, those of an audience, or those whom a text finds. */
import type { Micros } from '../../messages/message.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { Audience } from '../definition/audience.ts';
import { userEventsWhere } from '../../stores/analytics/user-events.ts';
import { isFoundInSql, textSearch } from '../../stores/analytics/letter-case.ts';
import { type KnownIds, knownIds } from '../known-ids.ts';
import type { QueryBudget } from '../query-budget.ts';
import { type CompileOptions, filter, queryOf, scopeOf } from '../sql/compile.ts';
import type { Scope } from '../sql/params.ts';
import { personRows, personsWithTrait, withIds } from '../sql/persons.ts';
import { select } from '../sql/select.ts';

/** Which users, and in which order. */
export interface UsersQuestion {
  /** Only the users whom this audience means now; null for all. */
  readonly users: Audience | null;
  /** Only users with this text in their id or in one of the traits; null for all. */
  readonly search: { readonly text: string; readonly traits: readonly string[] } | null;
  readonly sort: 'last_seen' | 'first_seen';
  readonly limit: number;
  readonly after: UserPosition | null;
  /** Whether the events of each user of the page are counted. */
  readonly countsEvents: boolean;
}

/** Where a page ends: the time that it is sorted by, and the number of the user. */
export interface UserPosition {
  readonly at: Micros;
  readonly user: bigint;
}

/** A user as analytics knows them. */
export interface KnownUser extends KnownIds {
  readonly firstSeen: Micros;
  readonly lastSeen: Micros;
}

export interface QueriedUser extends KnownUser {
  /** Null where they are not counted. */
  readonly events: number | null;
  /** For the page behind this user. */
  readonly position: UserPosition;
}

export interface UsersPage {
  /** How many there are on all pages; null on an empty page behind a position. */
  readonly total: number | null;
  readonly users: readonly QueriedUser[];
  readonly hasMore: boolean;
}

interface PlacedUser {
  readonly user_number: string;
  readonly at: string;
  readonly total: string;
}

interface UserRow {
  readonly user_number: string;
  readonly internal_id: string;
  readonly user_id: string;
  readonly anonymous_id: string;
  readonly first: string;
  readonly last: string;
}

interface CountRow {
  readonly user_number: string;
  readonly events: string;
}

/** @throws TidemarkError as `AnalyticsReader.ask`. */
export async function listUsers(
  budget: QueryBudget,
  options: CompileOptions,
  question: UsersQuestion,
): Promise<UsersPage> {
  const scope = (): Scope => scopeOf(options);
  const found = await budget.ask<PlacedUser>(positionsQuery(scope(), question));
  const page = found.slice(0, question.limit);
  const [first] = page;
  if (first === undefined) return { total: question.after === null ? 0 : null, users: [], hasMore: false };
  const numbers = page.map(({ user_number: user }) => user);
  const users = await usersNumbered(budget, options, numbers);
  const counted = question.countsEvents ? await budget.ask<CountRow>(eventsQuery(scope(), numbers)) : [];
  const events = new Map(counted.map((row) => [row.user_number, Number(row.events)]));
  return {
    total: Number(first.total),
    users: page.flatMap((row) => {
      const user = users.get(row.user_number);
      const count = question.countsEvents ? (events.get(row.user_number) ?? 0) : null;
      const position = { at: BigInt(row.at), user: BigInt(row.user_number) };
      return user === undefined ? [] : [{ ...user, events: count, position }];
    }),
    hasMore: found.length > page.length,
  };
}

/** What is known of these users, by the number that each was asked for with. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function usersNumbered(
  budget: QueryBudget,
  { projectId, now, joins }: CompileOptions,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, KnownUser>> {
  const rows = await budget.ask<UserRow>(usersQuery(scopeOf({ projectId, now, joins }), numbers));
  return new Map(rows.map((row) => [row.user_number, knownUser(row)]));
}

function knownUser(row: UserRow): KnownUser {
  return {
    ...knownIds(row.internal_id, row.user_id, row.user_id === '' ? row.anonymous_id : ''),
    firstSeen: BigInt(row.first),
    lastSeen: BigInt(row.last),
  };
}

// min and max are of whole numbers: schemas/clickhouse/002-views.sql says why.
const SEEN_ROWS = {
  first_seen: 'toUnixTimestamp64Micro(user_rows.first_seen)',
  last_seen: 'toUnixTimestamp64Micro(user_rows.last_seen)',
} as const;
const SEEN = { first_seen: `min(${SEEN_ROWS.first_seen})`, last_seen: `max(${SEEN_ROWS.last_seen})` } as const;

/** Yields a `PlacedUser` for each, one more than the page has. Ids are not read here: they do not compress. */
function positionsQuery(scope: Scope, { users, search, sort, after, limit }: UsersQuestion): Query {
  const { params } = scope;
  const project = `project_id = ${params.string(scope.projectId)}`;
  const wanted = [
    ...(users === null ? [] : [filter(scope, users)]),
    ...(search === null ? [] : [searchSql(scope, search)]),
  ];
  const behind =
    after === null ? '' : `WHERE (at, user) < (${params.micros(after.at)}, ${params.userNumber(after.user)}) `;
  return queryOf(
    scope,
    `SELECT toString(user) AS user_number, at, total FROM (SELECT user, at, count() OVER () AS total FROM (${seenSql(scope, sort, project, wanted)})) ` +
      `${behind}ORDER BY at DESC, user DESC LIMIT ${params.count(limit + 1)}`,
  );
}

/** A subquery of `user` and `at`, when each was seen. */
function seenSql(scope: Scope, sort: keyof typeof SEEN, project: string, wanted: readonly string[]): string {
  if (scope.joins !== true)
    return `${select(`SELECT user, ${SEEN[sort]} AS at FROM user_rows`, [project, ...wanted])} GROUP BY user`;
  const { first_seen, last_seen } = SEEN_ROWS;
  const ends = `SELECT user, ${first_seen} AS first, ${last_seen} AS last FROM user_rows WHERE ${project}`;
  const at = sort === 'first_seen' ? 'min(first)' : 'max(last)';
  return `${select(`SELECT user, ${at} AS at FROM (${personRows(scope, ends)})`, wanted)} GROUP BY user`;
}

/** FINAL, so that a text that a trait has no more finds nobody. */
function searchSql(scope: Scope, { text, traits }: NonNullable<UsersQuestion['search']>): string {
  const { params, projectId } = scope;
  const project = `project_id = ${params.string(projectId)}`;
  const search = textSearch(text);
  const has = (column: string): string => isFoundInSql(column, search, params.string(search.text));
  const byId = `SELECT user FROM user_rows WHERE ${project} AND ${has('user_id')}`;
  const own = (ofTrait: string): string => `SELECT user FROM trait_rows FINAL WHERE ${project} AND ${ofTrait}`;
  const isText = (): string => `kind = 'string' AND ${has('text')}`;
  if (scope.joins !== true)
    return `user IN (${byId} UNION ALL ${own(`trait IN ${params.strings(traits)} AND ${isText()}`)})`;
  const byTraits = traits.map((name) => {
    const trait = `trait = ${params.string(name)}`;
    return personsWithTrait(scope, own(`${trait} AND ${isText()}`), `${project} AND ${trait}`, isText());
  });
  return `user IN (${[byId, ...byTraits].join(' UNION ALL ')})`;
}

/** These users with the ids that are theirs: what stands behind IN. */
function withTheirIds(scope: Scope, users: readonly string[]): string {
  const these = scope.params.userNumbers(users);
  return scope.joins === true ? `(${withIds(scope, `SELECT arrayJoin(${these}) AS user`)})` : these;
}

function usersQuery(scope: Scope, users: readonly string[]): Query {
  const { first_seen, last_seen } = SEEN_ROWS;
  const rows =
    `SELECT user, user AS own, internal_id, user_id, anonymous_id, ${first_seen} AS first_at, ${last_seen} AS last_at ` +
    `FROM user_rows WHERE project_id = ${scope.params.string(scope.projectId)} AND user IN ${withTheirIds(scope, users)}`;
  const ownIds = ['internal_id', 'user_id', 'anonymous_id'].map((id) => `max(if(own = user, rows.${id}, '')) AS ${id}`);
  return queryOf(
    scope,
    `SELECT toString(user) AS user_number, ${ownIds.join(', ')}, min(first_at) AS first, max(last_at) AS last ` +
      `FROM (${personRows(scope, rows)}) AS rows GROUP BY user`,
  );
}

/** A message counts once a day (UTC), as in a user's events. */
function eventsQuery(scope: Scope, users: readonly string[]): Query {
  const project = `project_id = ${scope.params.string(scope.projectId)}`;
  const rows =
    `SELECT user, user AS own, event, message_id, toDate32(timestamp) AS day ` +
    `FROM ${userEventsWhere([project, `user IN ${withTheirIds(scope, users)}`])}`;
  const message = `${scope.joins === true ? 'own, ' : ''}event, message_id, day`;
  return queryOf(
    scope,
    `SELECT toString(user) AS user_number, uniqExact(${message}) AS events FROM (${personRows(scope, rows)}) GROUP BY user`,
  );
}
