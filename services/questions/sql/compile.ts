/**
 * Compiles an audience to one ClickHouse query. Pure. No text of a caller becomes SQL: all values, including the names
 * of members, are parameters.
 */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { Micros } from '../../messages/message.ts';
import { type Audience, type Condition, type ConditionOf, isCondition } from '../definition/audience.ts';
import type { EventCondition, SampleCondition, Times, TraitCondition } from '../definition/audience.ts';
import { measureUsers } from '../measures/measure-users.ts';
import { passesAll } from '../operators/operators.ts';
import { withFunctions } from './functions.ts';
import { Params, type Scope } from './params.ts';
import { Steps } from '../steps.ts';
import { sampleSql } from './sample.ts';
import { sequenceUsers } from './sequence-users.ts';
import { eventUsers, traitUsers } from './user-sets.ts';

/** The most users that a sample may have. */
export const MAX_SAMPLE = 1000;

export interface CompileOptions {
  readonly projectId: string;
  /** The evaluation, which relative times count back from. */
  readonly now: Micros;
}

export interface PreviewOptions extends CompileOptions {
  /** 0 to `MAX_SAMPLE`. */
  readonly sampleSize: number;
}

/**
 * Yields one row:
 *
 * - `count`, the number of distinct users,
 * - `sample`, the user ids of some of them,
 * - `named`, the user id and the anonymous id of some who are known by either,
 * - `unnamed`, the numbers of users, some of whom are known by the internal id alone: where fewer than wanted are `named`.
 *   Rows of one user may be merged later, so these may be `named` in another row: as many more are given.
 *
 * The query tests every user in the table of all users; each condition is a set that is built once before. One query
 * computes count and samples, because two would build the sets twice, which is most of the work. Internal ids are not
 * read: they do not compress, and follow from the other ids.
 */
export function compilePreview(audience: Audience, { projectId, now, sampleSize }: PreviewOptions): Query {
  const params = new Params();
  const scope: Scope = { params, projectId, now };
  const size = params.count(sampleSize);
  const sample = `groupUniqArrayIf(${MAX_SAMPLE})(user_id, user_id != '')`;
  const named = `groupUniqArrayIf(${MAX_SAMPLE})((user_id, anonymous_id), user_id != '' OR anonymous_id != '')`;
  const unnamed = `groupUniqArrayIf(${2 * MAX_SAMPLE})(user, user_id = '' AND anonymous_id = '')`;
  return queryOf(
    scope,
    `SELECT uniqExact(user) AS count, arraySlice(arraySort(${sample}), 1, ${size}) AS sample, ` +
      // By a hash: in the order of ids, those who have a user id would come after all others.
      `arraySlice(arraySort(ids -> cityHash64(ids), ${named}), 1, ${size}) AS named, ` +
      `if(length(named) >= ${size}, [], arraySlice(arraySort(${unnamed}), 1, 2 * ${size})) AS unnamed ` +
      `FROM user_rows WHERE project_id = ${params.string(projectId)} AND ${filter(scope, audience)}`,
  );
}

/**
 * The query for the set of one condition (its users, or those that it excludes); null if it reads nothing.
 */
export function compileCondition(condition: Condition, { projectId, now }: CompileOptions): Query | null {
  const scope: Scope = { params: new Params(), projectId, now };
  const subquery = userSet(scope, condition).of(null);
  return subquery === null ? null : queryOf(scope, subquery);
}

export function queryOf({ params, projectId }: Scope, select: string): Query {
  return { projectId, sql: withFunctions(select), params: params.values() };
}

/** The condition on `user` that is true of the audience's users. */
export function filter(scope: Scope, audience: Audience): string {
  if (isCondition(audience)) return filterBy(userSet(scope, audience));
  if (audience.kind === 'all') return filterAll(scope, audience.of);
  if (audience.kind === 'not') return `NOT (${filter(scope, audience.of)})`;
  if (audience.kind === 'audience') return filter(scope, audience.of);
  return `(${audience.of.map((part) => filter(scope, part)).join(' OR ')})`;
}

/**
 * Sets are narrowed by nesting them, traits innermost: a trait has one row per user, and the remaining users filter the
 * events before another column of these is read or compared. A trait that must only exist excludes few users and comes
 * last.
 */
function filterAll(scope: Scope, given: readonly Audience[]): string {
  const parts = given.flatMap(inlined);
  const sets = parts.map((part) => (isCondition(part) ? userSet(scope, part) : null));
  const chained = sets.filter((set) => set?.isPositive === true);
  const chain = chained
    .toSorted((one, other) => (one?.precedence ?? 0) - (other?.precedence ?? 0))
    .reduce<string | null>((among, set) => set?.of(among) ?? among, null);
  const others = parts.flatMap((part, index) => (sets[index]?.isPositive === true ? [] : [filter(scope, part)]));
  return `(${[...(chain === null ? [] : [`user IN (${chain})`]), ...others].join(' AND ')})`;
}

/** What a part of an `all` has as parts of its own, so that those narrow one another too. */
function inlined(part: Audience): readonly Audience[] {
  if (part.kind !== 'audience') return [part];
  return part.of.kind === 'all' ? part.of.of.flatMap(inlined) : inlined(part.of);
}

const PRECEDENCE = { trait: 0, event: 1, anyTrait: 2 } as const;

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

function filterBy(set: UserSet): string {
  if (set.condition !== undefined) return set.condition;
  const subquery = set.of(null);
  return subquery === null ? 'true' : `user ${set.isPositive ? 'IN' : 'NOT IN'} (${subquery})`;
}

/**
 * Yields one row: `from_count` and `to_count`, the numbers of users of either; of those who enter, leave and stay where the
 * one becomes the other the number (`entering`) and some (`entering_sample`: internal id, user id and anonymous id).
 *
 * Every user is one row (FINAL), tested by both audiences. Conditions that they share are the same sets, built once.
 */
export function compileComparison(from: Audience, to: Audience, { projectId, now, sampleSize }: PreviewOptions): Query {
  const params = new Params();
  const scope = { params, projectId, now };
  const size = params.count(sampleSize);
  const groups = [
    group('entering', 'is_to AND NOT is_from', size),
    group('leaving', 'is_from AND NOT is_to', size),
    group('staying', 'is_from AND is_to', size),
  ];
  const select =
    `SELECT countIf(is_from) AS from_count, countIf(is_to) AS to_count, ${groups.join(', ')} ` +
    `FROM (SELECT user_id, anonymous_id, internal_id, toBool(${filter(scope, from)}) AS is_from, ` +
    `toBool(${filter(scope, to)}) AS is_to FROM user_rows FINAL WHERE project_id = ${params.string(projectId)})`;
  return queryOf(scope, select);
}

function group(name: string, condition: string, size: string): string {
  const some = `groupArrayIf(${MAX_SAMPLE})((internal_id, user_id, anonymous_id), ${condition})`;
  return `countIf(${condition}) AS ${name}, arraySlice(arraySort(${some}), 1, ${size}) AS ${name}_sample`;
}
