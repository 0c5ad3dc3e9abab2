/**
 * Compiles an audience to one ClickHouse query. Pure. No text of a caller becomes SQL: all values, including the names
 * of members, are parameters.
 */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { type Audience, type Condition, type ConditionOf, isCondition } from '../definition/audience.ts';
import type { EventCondition, SampleCondition, Times, TraitCondition, UsersCondition } from '../definition/audience.ts';
import { measureUsers } from '../measures/measure-users.ts';
import { passesAll } from '../operators/operators.ts';
import { withFunctions } from './functions.ts';
import { Params, type Scope } from './params.ts';
import { isPerson } from './persons.ts';
import { Steps } from '../steps.ts';
import { listedSql } from './listed-users.ts';
import { sampleSql } from './sample.ts';
import { sequenceUsers } from './sequence-users.ts';
import { select } from './select.ts';
import { eventUsers, traitUsers } from './user-sets.ts';

/** The most users that a sample may have. */
export const MAX_SAMPLE = 1000;

export interface CompileOptions extends Omit<Scope, 'params'> {}

export interface PreviewOptions extends CompileOptions {
  /** 0 to `MAX_SAMPLE`. */
  readonly sampleSize: number;
}

export interface ComparisonOptions extends PreviewOptions {
  /** Whether ids are joined in the audience after the change; as before it where left out. */
  readonly toJoins?: boolean | undefined;
}

/**
 * Yields one row: `count`, the number of distinct users, and `users`, the numbers of the first of them in the order of
 * numbers: as many as the sample has. Ids are not read here: whoever has the numbers finds them by the key.
 */
export function compilePreview(audience: Audience, { sampleSize, ...options }: PreviewOptions): Query {
  const scope = scopeOf(options);
  const users = sampleSize === 0 ? '[]' : `arrayMap(one -> toString(one), groupArraySorted(${sampleSize})(user))`;
  return queryOf(scope, `SELECT count() AS count, ${users} AS users FROM (${distinctUsers(scope, audience)})`);
}

/** Yields `user_id` of as many users as the sample has, of those who have one. */
export function compileUserIds(audience: Audience, { sampleSize, ...options }: PreviewOptions): Query {
  const scope = scopeOf(options);
  const conditions = [projectIs(scope), `user_id != ''`, filter(scope, audience)];
  return queryOf(scope, `${select('SELECT DISTINCT user_id FROM user_rows', conditions)} LIMIT ${sampleSize}`);
}

function distinctUsers(scope: Scope, audience: Audience): string {
  return positiveUsers(scope, audience) ?? `${amongAll(scope, audience)} GROUP BY user`;
}

/** A subquery that yields the audience's users as `user`, some of them more than once. */
export function usersOf(scope: Scope, audience: Audience): string {
  return positiveUsers(scope, audience) ?? amongAll(scope, audience);
}

/** Whether the query tests every user of the project: there are some who are in none of the sets. */
export function readsEveryUser(audience: Audience, options: CompileOptions): boolean {
  return positiveUsers(scopeOf(options), audience) === null;
}

function amongAll(scope: Scope, audience: Audience): string {
  return select('SELECT user FROM user_rows', [projectIs(scope), isPerson(scope), filter(scope, audience)]);
}

/** The scope of a new query, which has no parameters yet. */
export function scopeOf(options: CompileOptions): Scope {
  return { params: new Params(), ...options };
}

function projectIs({ params, projectId }: Scope): string {
  return `project_id = ${params.string(projectId)}`;
}

/**
 * A subquery that yields the audience's users as `user`, each once, from the sets of its conditions alone. Null for an
 * audience that has users who are in none of these sets: it is asked of all users, each of whom is then looked for in
 * every set, which for a small set is most of the work.
 */
function positiveUsers(scope: Scope, audience: Audience): string | null {
  if (isCondition(audience)) {
    const set = userSet(scope, audience);
    return set.isPositive ? set.of(null) : null;
  }
  if (audience.kind === 'audience') return positiveUsers(scope, audience.of);
  if (audience.kind === 'all') {
    const { chain, others } = chainOf(scope, audience.of);
    if (chain === null) return null;
    return others.length === 0 ? chain : select(`SELECT user FROM (${chain})`, others);
  }
  if (audience.kind === 'not') return null;
  const sets = audience.of.map((part) => positiveUsers(scope, part));
  return sets.includes(null) ? null : `SELECT user FROM (${sets.join(' UNION ALL ')}) GROUP BY user`;
}

/**
 * The query for the set of one condition (its users, or those that it excludes); null if it reads nothing.
 */
export function compileCondition(condition: Condition, options: CompileOptions): Query | null {
  const scope = scopeOf(options);
  const subquery = userSet(scope, condition).of(null);
  return subquery === null ? null : queryOf(scope, subquery);
}

export function queryOf({ params, projectId }: Scope, sql: string): Query {
  return { projectId, sql: withFunctions(sql), params: params.values() };
}

/** The condition on `user` that is true of the audience's users. */
export function filter(scope: Scope, audience: Audience): string {
  if (isCondition(audience)) return filterBy(userSet(scope, audience));
  if (audience.kind === 'all') {
    const { chain, others } = chainOf(scope, audience.of);
    return `(${[...(chain === null ? [] : [`user IN (${chain})`]), ...others].join(' AND ')})`;
  }
  if (audience.kind === 'not') return `NOT (${filter(scope, audience.of)})`;
  if (audience.kind === 'audience') return filter(scope, audience.of);
  return `(${audience.of.map((part) => filter(scope, part)).join(' OR ')})`;
}

/**
 * Sets are narrowed by nesting them, traits innermost: a trait has one row per user, and the remaining users filter the
 * events before another column of these is read or compared. A trait that must only exist excludes few users and comes
 * last.
 */
function chainOf(
  scope: Scope,
  given: readonly Audience[],
): { readonly chain: string | null; readonly others: readonly string[] } {
  const parts = given.flatMap(inlined);
  const sets = parts.map((part) => (isCondition(part) ? userSet(scope, part) : null));
  const chained = sets.filter((set) => set?.isPositive === true);
  const chain = chained
    .toSorted((one, other) => (one?.precedence ?? 0) - (other?.precedence ?? 0))
    .reduce<string | null>((among, set) => set?.of(among) ?? among, null);
  const others = parts.flatMap((part, index) => (sets[index]?.isPositive === true ? [] : [filter(scope, part)]));
  return { chain, others };
}

/** What a part of an `all` has as parts of its own, so that those narrow one another too. */
function inlined(part: Audience): readonly Audience[] {
  if (part.kind !== 'audience') return [part];
  return part.of.kind === 'all' ? part.of.of.flatMap(inlined) : inlined(part.of);
}

const PRECEDENCE = { users: -1, trait: 0, event: 1, anyTrait: 2 } as const;

/** A condition as a set of users: those in it (`isPositive`), or all others. */
interface UserSet {
  /** Sets with a lower number are nested further inside. */
  readonly precedence: number;
  readonly isPositive: boolean;
  /**
   * The subquery of the set; null if the set is always empty. A positive set is never null, and can be narrowed to the
   * users in `among`, another such subquery.
   */
  of(among: string | null): string | null;
  /** Given where it takes no subquery: the condition on `user`. */
  readonly condition?: string;
}

const USER_SETS: { readonly [K in Condition['kind']]: (scope: Scope, condition: ConditionOf<K>) => UserSet } = {
  trait: traitSet,
  event: eventSet,
  sample: sampleSet,
  users: listedSet,
};

function userSet(scope: Scope, condition: Condition): UserSet {
  return (USER_SETS[condition.kind] as (scope: Scope, condition: Condition) => UserSet)(scope, condition);
}

/** If a user without the trait passes, the set has the users who do not pass. */
function traitSet(scope: Scope, condition: TraitCondition): UserSet {
  const at = { location: 'trait', now: scope.now, steps: new Steps() } as const;
  const isPositive = !passesAll(undefined, condition.tests, at);
  const precedence = condition.tests.every(({ test }) => test === 'exists') ? PRECEDENCE.anyTrait : PRECEDENCE.trait;
  return { precedence, isPositive, of: (among) => traitUsers(scope, condition, isPositive, among) };
}

/** If a user who never did it passes, the set has the users who did it too often. */
function eventSet(scope: Scope, condition: EventCondition): UserSet {
  const { times, first, last, sequence, measure } = condition;
  const users = (wanted: Times, among: string | null): string => {
    if (measure !== null) return measureUsers(scope, condition, measure, wanted, among);
    if (sequence !== null) return sequenceUsers(scope, condition, sequence, wanted, among);
    return eventUsers(scope, condition, wanted, among);
  };
  const needsOne = first !== null || last !== null || measure !== null;
  if (times.atLeast > 0 || needsOne) {
    const atLeastOnce = { ...times, atLeast: Math.max(times.atLeast, 1) };
    return {
      precedence: PRECEDENCE.event,
      isPositive: true,
      of: (among) => users(atLeastOnce, among),
    };
  }
  const { atMost } = times;
  if (atMost === null) return { precedence: PRECEDENCE.event, isPositive: false, of: () => null };
  const tooOften = { atLeast: atMost + 1, atMost: null };
  return { precedence: PRECEDENCE.event, isPositive: false, of: () => users(tooOften, null) };
}

/** Nothing is read for it, so that it narrows nothing. */
function sampleSet({ params }: Scope, condition: SampleCondition): UserSet {
  return { precedence: 0, isPositive: false, of: () => null, condition: sampleSql(params, condition) };
}

/** Those of the ids who are there. They are read by the key. */
function listedSet(scope: Scope, condition: UsersCondition): UserSet {
  const isListed = listedSql(scope, condition);
  const of = (among: string | null): string =>
    `${select('SELECT user FROM user_rows', [projectIs(scope), isListed, among && `user IN (${among})`])} GROUP BY user`;
  return { precedence: PRECEDENCE.users, isPositive: true, of, condition: isListed };
}

function filterBy(set: UserSet): string {
  if (set.condition !== undefined) return set.condition;
  const subquery = set.of(null);
  return subquery === null ? 'true' : `user ${set.isPositive ? 'IN' : 'NOT IN'} (${subquery})`;
}

/**
 * Yields one row: `from_count` and `to_count`, the numbers of users of either; of those who enter, leave and stay where the
 * one becomes the other the number (`entering`) and some (`entering_sample`: internal id, user id and anonymous id).
 *
 * Every user is one row (FINAL), tested by both audiences. Conditions that they share are the same sets, built once. Where ids
 * are joined on one side alone, a joined id is a user on the other.
 */
export function compileComparison(from: Audience, to: Audience, options: ComparisonOptions): Query {
  const { sampleSize, toJoins = options.joins, ...context } = options;
  const scope = scopeOf(context);
  const toScope = { ...scope, joins: toJoins };
  const isSame = (toJoins ?? false) === (scope.joins ?? false);
  const test = (one: Scope, audience: Audience): string =>
    [filter(one, audience), ...(isSame ? [] : [isPerson(one)])].filter((sql) => sql !== null).join(' AND ');
  const { params } = scope;
  const size = params.count(sampleSize);
  const groups = [
    group('entering', 'is_to AND NOT is_from', size),
    group('leaving', 'is_from AND NOT is_to', size),
    group('staying', 'is_from AND is_to', size),
  ];
  const counted =
    `SELECT countIf(is_from) AS from_count, countIf(is_to) AS to_count, ${groups.join(', ')} ` +
    `FROM (SELECT user_id, anonymous_id, internal_id, toBool(${test(scope, from)}) AS is_from, ` +
    `toBool(${test(toScope, to)}) AS is_to ` +
    `FROM ${select('user_rows FINAL', [projectIs(scope), isSame ? isPerson(scope) : null])})`;
  return queryOf(scope, counted);
}

function group(name: string, condition: string, size: string): string {
  const some = `groupArrayIf(${MAX_SAMPLE})((internal_id, user_id, anonymous_id), ${condition})`;
  return `countIf(${condition}) AS ${name}, arraySlice(arraySort(${some}), 1, ${size}) AS ${name}_sample`;
}
