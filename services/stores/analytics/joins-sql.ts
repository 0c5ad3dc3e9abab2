/**
 * Whose an anonymous id is, by the sightings that analytics has: that of the one user whom it was seen with. Only the first
 * sightings of a user count, as in profiles. Pure.
 */
import { MAX_SIGHTINGS } from '../profiles/sightings.ts';
import type { Query, QueryResult } from './analytics-store.ts';
import { userNumber } from './columns.ts';
import type { ConcernedUser, DecidedJoin, JoinChange, JoinsQuestion } from './joins.ts';

/** A statement has the ids: 128 KiB is the most that a parameter of ClickHouse takes. */
const IDS_OF_A_STATEMENT = 2_000;

/** Ids of a user that may have been pushed out by what came. One insert has fewer rows. */
const MOST_PUSHED_OUT = 100_000;

const MOST_CONCERNED = 100;

const THESE = `CAST({ids:Array(String)}, 'Array(UInt128)')`;

function crowdedSql(): string {
  return `SELECT user, arraySort(groupArray((first, name, anonymous))) AS pairs
    FROM (
      SELECT user, anonymous, min(version) AS first, max(anonymous_id) AS name FROM sighting_rows
      WHERE project_id = {project:String} AND user IN
        (SELECT user FROM sightings_by_anonymous WHERE project_id = {project:String} AND anonymous IN ${THESE})
      GROUP BY user, anonymous
    )
    GROUP BY user HAVING length(pairs) > {most:UInt32}`;
}

function paramsOf({ projectId, anonymous, most = MAX_SIGHTINGS }: JoinsQuestion): Readonly<Record<string, unknown>> {
  return { project: projectId, ids: anonymous, most };
}

/**
 * Yields `id`: the ids that are pushed out from among the first of a user by those that are asked about. Whose they are
 * may have changed with them.
 */
function pushedOutQuery(question: JoinsQuestion): Query {
  const sql = `SELECT DISTINCT toString(arrayJoin(arraySlice(pairs, {most:UInt32} + 1, ${MOST_PUSHED_OUT})).3) AS id
    FROM (${crowdedSql()})
    WHERE arrayExists(pair -> has(${THESE}, pair.3), arraySlice(pairs, 1, {most:UInt32}))`;
  return { sql, params: paramsOf(question) };
}

/** Yields `user` and `person` of every id that is asked about; `person` 0 where it is nobody's, or several people's. */
export function ownersQuery(question: JoinsQuestion): Query {
  const sql = `WITH crowded AS (${crowdedSql()}),
      decided AS
      (
        SELECT user, says, person FROM join_decision_rows FINAL WHERE project_id = {project:String} AND user IN ${THESE}
      )
    SELECT sighted.user AS user, if(decided.says IN ('join', 'apart'), decided.person, sighted.person) AS person
    FROM
    (
    SELECT anonymous AS user, if(minIf(seen, seen != 0) = max(seen), max(seen), 0) AS person
    FROM (
      SELECT anonymous, user AS seen FROM sightings_by_anonymous
      WHERE project_id = {project:String} AND anonymous IN ${THESE} AND user NOT IN (SELECT user FROM crowded)
      UNION ALL
      SELECT pair.3 AS anonymous, user AS seen FROM crowded ARRAY JOIN arraySlice(pairs, 1, {most:UInt32}) AS pair
      WHERE anonymous IN ${THESE}
      UNION ALL
      SELECT arrayJoin(${THESE}) AS anonymous, toUInt128(0) AS seen
    )
    GROUP BY anonymous
    ) AS sighted
    LEFT JOIN decided ON decided.user = sighted.user`;
  return { sql, params: paramsOf(question) };
}

/** The statement that notes decisions of a project. */
export function decisionsStatement(projectId: string, decisions: readonly DecidedJoin[]): Query {
  return {
    sql: `INSERT INTO join_decision_rows (project_id, user, says, person, number)
      SELECT {project:String}, toUInt128(one.1), one.2, toUInt128(one.3), toUInt64(one.4)
      FROM (SELECT arrayJoin(arrayZip({users:Array(String)}, {says:Array(String)}, {persons:Array(String)}, {numbers:Array(String)})) AS one)`,
    params: {
      project: projectId,
      users: decisions.map(({ user }) => user),
      says: decisions.map(({ says }) => says),
      persons: decisions.map(({ person }) => person),
      numbers: decisions.map(({ number }) => String(number)),
    },
  };
}

/**
 * Keeps whose these ids are, and those that they push out.
 *
 * @param number Taken after all of their sightings were inserted.
 */
export async function keepJoins(
  question: JoinsQuestion,
  number: bigint,
  ask: (query: Query) => Promise<QueryResult['rows']>,
  run: (statement: Query) => Promise<unknown>,
): Promise<readonly ConcernedUser[]> {
  const { projectId, decisions = [] } = question;
  if (decisions.length > 0) await run(decisionsStatement(projectId, decisions));
  const ids = new Set(question.anonymous);
  for (const anonymous of idsAtOnce(question.anonymous)) {
    for (const { id } of await ask(pushedOutQuery({ ...question, anonymous }))) ids.add(String(id));
  }
  const concerned: ConcernedUser[] = [];
  for (const anonymous of idsAtOnce([...ids])) {
    const some = { ...question, anonymous };
    const keys = (await ask(concernedQuery(some))).map(({ id }) => String(id));
    const owners = (await ask(changedOwnersQuery(some))) as readonly unknown[] as readonly OwnerRow[];
    await run(keepStatement(projectId, owners, number));
    concerned.push(...withJoinChanges(keys, owners));
  }
  return concerned;
}

/** Numbers of users: whose an anonymous id is, and whose it was; 0 is nobody. */
interface OwnerRow {
  readonly user: string;
  readonly person: string;
  readonly was: string;
}

/** An id that nothing was sent under alone joins nothing: nobody would enter or leave by it. */
function withJoinChanges(keys: readonly string[], owners: readonly OwnerRow[]): readonly ConcernedUser[] {
  const byNumber = new Map(keys.map((userKey) => [userNumber(userKey), userKey]));
  const joinChanges = new Map<string, JoinChange>();
  const joinChange = (user: string, owner: string, cause: JoinChange['cause']): void => {
    const person = byNumber.get(owner);
    if (person !== undefined) for (const one of [user, owner]) joinChanges.set(one, { cause, person });
  };
  for (const { user, person, was } of owners) {
    if (person === was || !byNumber.has(user)) continue;
    joinChange(user, was, 'parted');
    joinChange(user, person, 'joined');
  }
  return keys.map((userKey) => ({ userKey, joinChange: joinChanges.get(userNumber(userKey)) ?? null }));
}

function idsAtOnce(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / IDS_OF_A_STATEMENT) }, (_, index) =>
    ids.slice(index * IDS_OF_A_STATEMENT, (index + 1) * IDS_OF_A_STATEMENT),
  );
}

/** Yields an `OwnerRow` for every id that is asked about. */
function changedOwnersQuery(question: JoinsQuestion): Query {
  const { sql, params } = ownersQuery(question);
  return {
    sql: `SELECT toString(owners.user) AS user, toString(owners.person) AS person, toString(kept.was) AS was
      FROM (${sql}) AS owners LEFT JOIN
      (
        SELECT user, person AS was FROM join_rows FINAL WHERE project_id = {project:String} AND user IN ${THESE}
      ) AS kept ON kept.user = owners.user`,
    params,
  };
}

function keepStatement(projectId: string, owners: readonly OwnerRow[], number: bigint): Query {
  return {
    sql: `INSERT INTO join_rows (project_id, user, person, number)
      SELECT {project:String}, toUInt128(one.1), toUInt128(one.2), {number:UInt64}
      FROM (SELECT arrayJoin(arrayZip({users:Array(String)}, {persons:Array(String)})) AS one)`,
    params: {
      project: projectId,
      users: owners.map(({ user }) => user),
      persons: owners.map(({ person }) => person),
      number,
    },
  };
}

/**
 * Yields `id` of those known by these ids alone, of whose they were, and of users whom they were seen with. An id with many
 * users was nobody's before one more came.
 */
function concernedQuery(question: JoinsQuestion): Query {
  const sql = `SELECT max(internal_id) AS id FROM user_rows WHERE project_id = {project:String} AND user IN
    (
      SELECT user FROM
      (
        SELECT user FROM sightings_by_anonymous WHERE project_id = {project:String} AND anonymous IN ${THESE}
        LIMIT ${MOST_CONCERNED} BY anonymous
      )
      UNION ALL SELECT arrayJoin(${THESE}) AS user
      UNION ALL SELECT person AS user FROM join_decision_rows WHERE project_id = {project:String} AND user IN ${THESE}
      UNION ALL SELECT person AS user FROM join_rows WHERE project_id = {project:String} AND user IN ${THESE}
    )
    GROUP BY user`;
  return { sql, params: paramsOf(question) };
}
