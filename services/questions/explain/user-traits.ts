/** Reads the traits of one user that a list of conditions tests. */
import type { Micros } from '../../messages/message.ts';
import { timesOfVersion } from '../../messages/version.ts';
import type { QueryBudget } from '../query-budget.ts';
import { matchedTexts, traitDigitsSql } from '../operators/matched-texts.ts';
import type { Course } from '../operators/course.ts';
import type { AtEvaluation, MatchedTexts } from '../operators/operator.ts';
import { courseOf } from '../operators/operators.ts';
import { withFunctions } from '../sql/functions.ts';
import { parseStoredJson, valueAt } from '../sql/stored-value.ts';
import type { TraitCondition } from '../definition/audience.ts';
import { Params } from '../sql/params.ts';
import type { OneUser } from './user-events-query.ts';

/** A trait as set by the newest message that mentions it. */
export interface KnownTrait {
  readonly isDeleted: boolean;
  /** The value from `parseStoredJson`; undefined if deleted. */
  readonly value: unknown;
  /** The message's time, as used to order versions, and when it arrived. */
  readonly setAt: { readonly timestamp: Micros; readonly receivedAt: Micros };
  readonly matched: MatchedTexts;
}

export interface TraitRow {
  readonly trait: string;
  readonly kind: string;
  readonly value: string;
  readonly version: string;
  /** By `traitDigitsSql` of the conditions. */
  readonly digits: string;
}

/** By the trait's name; those that no message mentions are absent. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function readUserTraits(
  asking: QueryBudget,
  { projectId, userKey }: OneUser,
  conditions: readonly TraitCondition[],
): Promise<ReadonlyMap<string, KnownTrait>> {
  const names = [...new Set(conditions.map(({ path }) => path[0] ?? ''))];
  if (names.length === 0) return new Map();
  const params = new Params();
  const sql =
    `SELECT trait, kind, value, toString(version) AS version, ${traitDigitsSql(params, conditions)} AS digits ` +
    'FROM trait_rows FINAL ' +
    `WHERE project_id = ${params.string(projectId)} AND trait IN ${params.strings(names)} AND user = ${params.user(userKey)}`;
  const rows = await asking.ask<TraitRow>({ projectId, sql: withFunctions(sql), params: params.values() });
  return new Map(rows.map((row) => [row.trait, knownTrait(row, conditions)]));
}

/** @param conditions Those of which the digits are. */
export function knownTrait(row: TraitRow, conditions: readonly TraitCondition[]): KnownTrait {
  const isDeleted = row.kind === 'deleted';
  const value = isDeleted ? undefined : parseStoredJson(row.value);
  const ofTrait = conditions.filter(({ path }) => path[0] === row.trait);
  const tested = ofTrait.map(({ path, tests }) => ({ value: valueAt(value, path.slice(1)), tests }));
  const matched = matchedTexts(tested, row.digits);
  return { isDeleted, value, setAt: timesOfVersion(BigInt(row.version)), matched };
}

/** The value that the condition tests; undefined if missing. */
export function conditionValue({ path }: TraitCondition, trait: KnownTrait | undefined): unknown {
  return valueAt(trait?.value, path.slice(1));
}

/** When the trait passes the condition from the evaluation on. */
export function courseOfTrait(condition: TraitCondition, trait: KnownTrait | undefined, at: AtEvaluation): Course {
  const location = condition.path.length === 1 ? 'trait' : 'in-trait';
  return courseOf(conditionValue(condition, trait), condition.tests, { ...at, location, matched: trait?.matched });
}
