/** Reads the traits of one user that a list of conditions tests. */
import type { Micros } from '../../messages/message.ts';
import { timesOfVersion } from '../../messages/version.ts';
import type { QueryBudget } from '../query-budget.ts';
import { momentsOf, passesAll } from '../operators/operators.ts';
import { parseStoredJson, type ValueLocation, valueAt } from '../sql/stored-value.ts';
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
}

export interface TraitRow {
  readonly trait: string;
  readonly kind: string;
  readonly value: string;
  readonly version: string;
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
    'SELECT trait, kind, value, toString(version) AS version FROM trait_rows FINAL ' +
    `WHERE project_id = ${params.string(projectId)} AND trait IN ${params.strings(names)} AND user = ${params.user(userKey)}`;
  const rows = await asking.ask<TraitRow>({ projectId, sql, params: params.values() });
  return new Map(rows.map((row) => [row.trait, knownTrait(row)]));
}

export function knownTrait({ kind, value, version }: TraitRow): KnownTrait {
  const isDeleted = kind === 'deleted';
  return { isDeleted, value: isDeleted ? undefined : parseStoredJson(value), setAt: timesOfVersion(BigInt(version)) };
}

/** The value that the condition tests; undefined if missing. */
export function conditionValue({ path }: TraitCondition, trait: KnownTrait | undefined): unknown {
  return valueAt(trait?.value, path.slice(1));
}

/** Every instant after `now` at which time alone changes `passesTrait`, and maybe others. In order. */
export function traitMoments(condition: TraitCondition, trait: KnownTrait | undefined, now: Micros): readonly Micros[] {
  return momentsOf(conditionValue(condition, trait), condition.tests, { location: locationOf(condition), now });
}

export function passesTrait(condition: TraitCondition, trait: KnownTrait | undefined, now: Micros): boolean {
  return passesAll(conditionValue(condition, trait), condition.tests, { location: locationOf(condition), now });
}

function locationOf({ path }: TraitCondition): ValueLocation {
  return path.length === 1 ? 'trait' : 'in-trait';
}
