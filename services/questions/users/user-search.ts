/**
 * The queries that find users by the beginning of their user id, by a trait and by a part of either. Pure. They read in the order of a table,
 * without FINAL or LIMIT BY, which would read all that matches: a row may come several times, one after another.
 */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { isFoundInSql, type TextSearch, textSearch } from '../../stores/analytics/letter-case.ts';

export interface UserNameRow {
  readonly user_id: string;
  readonly internal_id: string;
}

/** In the order of user ids, by their bytes. @param after A user id that begins with the prefix; null for the first page. */
export function prefixQuery(projectId: string, prefix: string, after: string | null, limit: number): Query {
  const end = endOfPrefix(prefix);
  const conditions = [
    'project_id = {projectId:String}',
    after === null ? 'user_id >= {from:String}' : 'user_id > {from:String}',
    ...(end === null ? [] : ['user_id < {end:String}']),
  ];
  return {
    projectId,
    sql: `SELECT user_id, internal_id FROM user_id_rows WHERE ${conditions.join(' AND ')}
          ORDER BY project_id, user_id LIMIT {limit:UInt64}`,
    params: { projectId, from: after ?? prefix, limit: String(limit), ...(end !== null && { end }) },
  };
}

const LAST_CODE_POINT = 0x10ffff;
const [BEFORE_SURROGATES, AFTER_SURROGATES] = [0xd7ff, 0xe000];

/** The first text, by bytes in UTF-8, above every one that begins with the prefix; null if every text may be. */
function endOfPrefix(prefix: string): string | null {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === LAST_CODE_POINT) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...codePoints, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}

/** A trait and its value. */
export interface TraitValueQuery {
  readonly projectId: string;
  readonly trait: string;
  /** The text of a string or boolean. */
  readonly text: string;
  /** The number that it also stands for: exact where it is a whole number of 64 bits. */
  readonly number: { readonly double: number; readonly integer: bigint | null } | null;
}

/** The numbers of users who were ever given the value, as far as it is not merged away; those above `after`, ascending. */
export function givenTraitQuery(wanted: TraitValueQuery, after: bigint, limit: number): Query {
  return {
    projectId: wanted.projectId,
    sql: `SELECT toString(user) AS user_number FROM trait_rows
          WHERE ${OF_TRAIT} AND user > {after:UInt128} AND ${valueSql(wanted)}
          ORDER BY project_id, trait, user LIMIT {limit:UInt64}`,
    params: { ...traitParams(wanted), after: after.toString(), limit: String(limit) },
  };
}

const OF_TRAIT = 'project_id = {projectId:String} AND trait = {trait:String}';

function valueSql({ text, number }: TraitValueQuery): string {
  const kinds = text === 'true' || text === 'false' ? "kind IN ('string', 'boolean')" : "kind = 'string'";
  const byText = `(${kinds} AND text = {text:String})`;
  if (number === null) return byText;
  const byDouble = 'number = {double:Float64}';
  const exact = number.integer === null ? byDouble : `ifNull(integer = {integer:Int128}, ${byDouble})`;
  return `(${byText} OR (kind = 'number' AND ${exact}))`;
}

/** A text in a user id or in one of these traits. */
export interface PartQuery {
  readonly projectId: string;
  readonly text: string;
  readonly traits: readonly string[];
}

export interface PartRow {
  readonly user_number: string;
  /** 0 for the user id, and above it the place among the traits, from 1. */
  readonly source: string;
}

/**
 * Users who were ever given such a text (`TextSearch`), as far as it is not merged away, ascending: the first
 * `limit` rows above `after` of each source. A user may come several times.
 */
export function partQuery({ projectId, text, traits }: PartQuery, after: bigint, limit: number): Query {
  const search = textSearch(text);
  const ofTraits = traits.map((_, index) => {
    const ofTrait = `trait = {trait${index}:String}`;
    return sourceSql(
      search,
      index + 1,
      `trait_rows WHERE project_id = {projectId:String} AND ${ofTrait}`,
      'text',
      'trait, user',
    );
  });
  const ofIds = sourceSql(search, 0, 'user_rows WHERE project_id = {projectId:String}', 'user_id', 'user');
  return {
    projectId,
    sql: `SELECT toString(user) AS user_number, toString(source) AS source
          FROM (${[ofIds, ...ofTraits].join(' UNION ALL ')}) ORDER BY user`,
    params: {
      projectId,
      text: search.text,
      after: after.toString(),
      limit: String(limit),
      ...Object.fromEntries(traits.map((trait, index) => [`trait${index}`, trait])),
    },
  };
}

/** In the order of the table, which is read no further than that; DISTINCT would read all that matches. */
function sourceSql(search: TextSearch, source: number, rows: string, column: string, order: string): string {
  return `(SELECT user, ${source} AS source FROM ${rows} AND user > {after:UInt128}
             AND ${isFoundInSql(column, search, '{text:String}')}
           ORDER BY project_id, ${order} LIMIT {limit:UInt64})`;
}

/** The internal ids of users by their numbers, ascending. @param holding Only of those whose trait has the value now. */
export function internalIdsQuery(projectId: string, users: readonly string[], holding?: TraitValueQuery): Query {
  const named = "user IN CAST({users:Array(String)}, 'Array(UInt128)')";
  const holds =
    holding === undefined
      ? ''
      : `AND user IN (SELECT user FROM trait_rows FINAL WHERE ${OF_TRAIT} AND ${named} AND ${valueSql(holding)})`;
  return {
    projectId,
    sql: `SELECT max(internal_id) AS internal_id FROM user_rows
          WHERE project_id = {projectId:String} AND ${named} ${holds}
          GROUP BY user ORDER BY user`,
    params: { projectId, users, ...(holding && traitParams(holding)) },
  };
}

function traitParams({ projectId, trait, text, number }: TraitValueQuery): Readonly<Record<string, string>> {
  return {
    projectId,
    trait,
    text,
    ...(number !== null && { double: String(number.double) }),
    ...(number !== null && number.integer !== null && { integer: number.integer.toString() }),
  };
}
