/**
 * Whose an anonymous id is, by the sightings that analytics has: that of the one user whom it was seen with. Of a user the
 * first sightings count alone, as in profiles. Pure.
 */
import { MAX_SIGHTINGS } from '../profiles/sightings.ts';
import type { Query } from './analytics-store.ts';

/** A statement has the ids: 128 KiB is the most that a parameter of ClickHouse takes. */
const IDS_OF_A_STATEMENT = 2_000;

/** Ids of a user that may have been pushed out by what came. One insert has fewer rows. */
const MOST_PUSHED_OUT = 100_000;

/** Which ids are asked about: the numbers of the users who are known by them alone. */
export interface JoinsQuestion {
  readonly projectId: string;
  readonly anonymous: readonly string[];
  /** How many sightings of a user count. */
  readonly most?: number;
}

const IDS = `CAST({ids:Array(String)}, 'Array(UInt128)')`;

function crowdedSql(): string {
  return `SELECT user, arraySort(groupArray((first, name, anonymous))) AS pairs
    FROM (
      SELECT user, anonymous, min(version) AS first, max(anonymous_id) AS name FROM sighting_rows
      WHERE project_id = {project:String} AND user IN
        (SELECT user FROM sightings_by_anonymous WHERE project_id = {project:String} AND anonymous IN ${IDS})
      GROUP BY user, anonymous
    )
    GROUP BY user HAVING length(pairs) > {most:UInt32}`;
}

function paramsOf({ projectId, anonymous, most = MAX_SIGHTINGS }: JoinsQuestion): Readonly<Record<string, unknown>> {
  return { project: projectId, ids: anonymous, most };
}

/**
 * Yields `anonymous`: the ids that are pushed out from among the first of a user by those that are asked about. Whose they are
 * may have changed with them.
 */
function pushedOutQuery(question: JoinsQuestion): Query {
  const sql = `SELECT DISTINCT toString(arrayJoin(arraySlice(pairs, {most:UInt32} + 1, ${MOST_PUSHED_OUT})).3) AS anonymous
    FROM (${crowdedSql()})
    WHERE arrayExists(pair -> has(${IDS}, pair.3), arraySlice(pairs, 1, {most:UInt32}))`;
  return { sql, params: paramsOf(question) };
}

/** Yields `user` and `person` of every id that is asked about; `person` 0 where it is nobody's, or several people's. */
export function ownersQuery(question: JoinsQuestion): Query {
  const sql = `WITH crowded AS (${crowdedSql()})
    SELECT anonymous AS user, if(minIf(seen, seen != 0) = max(seen), max(seen), 0) AS person
    FROM (
      SELECT anonymous, user AS seen FROM sightings_by_anonymous
      WHERE project_id = {project:String} AND anonymous IN ${IDS} AND user NOT IN (SELECT user FROM crowded)
      UNION ALL
      SELECT pair.3 AS anonymous, user AS seen FROM crowded ARRAY JOIN arraySlice(pairs, 1, {most:UInt32}) AS pair
      WHERE anonymous IN ${IDS}
      UNION ALL
      SELECT arrayJoin(${IDS}) AS anonymous, toUInt128(0) AS seen
    )
    GROUP BY anonymous`;
  return { sql, params: paramsOf(question) };
}

/**
 * The statements that keep whose these ids are, and those that they push out.
 *
 * @param number Taken after all of their sightings were inserted.
 * @param ask Resolves with the column `anonymous`.
 */
export async function keptJoins(
  question: JoinsQuestion,
  number: bigint,
  ask: (query: Query) => Promise<readonly string[]>,
): Promise<readonly Query[]> {
  const ids = new Set(question.anonymous);
  for (const anonymous of slicesOf(question.anonymous)) {
    for (const id of await ask(pushedOutQuery({ ...question, anonymous }))) ids.add(id);
  }
  return slicesOf([...ids]).map((anonymous) => keepStatement({ ...question, anonymous }, number));
}

function slicesOf(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / IDS_OF_A_STATEMENT) }, (_, index) =>
    ids.slice(index * IDS_OF_A_STATEMENT, (index + 1) * IDS_OF_A_STATEMENT),
  );
}

function keepStatement(question: JoinsQuestion, number: bigint): Query {
  const { sql, params } = ownersQuery(question);
  return {
    sql: `INSERT INTO join_rows (project_id, user, person, number)
      SELECT {project:String}, user, person, {number:UInt64} FROM (${sql})`,
    params: { ...params, number },
  };
}
