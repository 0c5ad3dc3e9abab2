/** Reads the traits of users that conditions test. */
import type { Micros } from '../../messages/message.ts';
import { timesOfVersion } from '../../messages/version.ts';
import { matchedTexts, traitDigitsSql } from '../operators/matched-texts.ts';
import type { Course } from '../operators/course.ts';
import type { AtEvaluation, MatchedTexts } from '../operators/operator.ts';
import { courseOf } from '../operators/operators.ts';
import { withFunctions } from '../sql/functions.ts';
import { parseStoredJson, valueAt } from '../sql/stored-value.ts';
import type { TraitCondition } from '../definition/audience.ts';
import { Params } from '../sql/params.ts';
import { ownersOf, type RowReader, type UsersWanted } from './user-events-query.ts';

/** A trait as set by the newest message that mentions it. */
export interface KnownTrait {
  readonly isDeleted: boolean;
  /** The value from `parseStoredJson`; undefined if deleted. */
  readonly value: unknown;
  /** The message's time, as used to order versions, when it arrived, and the number of the user whom it names. */
  readonly setAt: { readonly timestamp: Micros; readonly receivedAt: Micros; readonly user: string };
  readonly matched: MatchedTexts;
}

interface TraitRow {
  /** The number of the user. */
  readonly user: string;
  readonly trait: string;
  readonly kind: string;
  readonly value: string;
  readonly version: string;
  /** By `traitDigitsSql` of the conditions. */
  readonly digits: string;
}

/**
 * By the user's number and the trait's name; those that no message mentions are absent. Where no message of the user mentions a
 * trait, the newest of the joined ids says it.
 *
 * @throws What asking throws.
 */
export async function readTraits(
  reader: Pick<RowReader, 'ask'>,
  wanted: UsersWanted,
): Promise<ReadonlyMap<string, ReadonlyMap<string, KnownTrait>>> {
  const owners = ownersOf(wanted);
  const ofTraits = wanted.conditions.filter((condition) => condition.kind === 'trait');
  const names = [...new Set(ofTraits.map(({ path }) => path[0] ?? ''))];
  const found = new Map<string, Map<string, KnownTrait>>();
  if (names.length === 0) return found;
  const params = new Params();
  const sql =
    `SELECT user, trait, kind, value, toString(version) AS version, ${traitDigitsSql(params, ofTraits)} AS digits ` +
    'FROM user_trait_rows FINAL ' +
    `WHERE project_id = ${params.string(wanted.projectId)} AND user IN ${params.userNumbers([...owners.keys()])} ` +
    `AND trait IN ${params.strings(names)}`;
  const rows = await reader.ask({ projectId: wanted.projectId, sql: withFunctions(sql), params: params.values() });
  for (const row of (rows as readonly TraitRow[]).toSorted((one, other) => byPrecedence(one, other, owners))) {
    const owner = owners.get(row.user) ?? row.user;
    const ofUser = found.get(owner) ?? new Map<string, KnownTrait>();
    found.set(owner, ofUser.set(row.trait, knownTrait(row, ofTraits)));
  }
  return found;
}

/** What wins comes last: by version, and the user's own behind those of joined ids. */
function byPrecedence(one: TraitRow, other: TraitRow, owners: ReadonlyMap<string, string>): number {
  const [isOwn, isOtherOwn] = [one, other].map(({ user }) => owners.get(user) === user);
  if (isOwn !== isOtherOwn) return isOwn === true ? 1 : -1;
  return BigInt(one.version) < BigInt(other.version) ? -1 : 1;
}

/** @param conditions Those of which the digits are. */
function knownTrait(row: TraitRow, conditions: readonly TraitCondition[]): KnownTrait {
  const isDeleted = row.kind === 'deleted';
  const value = isDeleted ? undefined : parseStoredJson(row.value);
  const ofTrait = conditions.filter(({ path }) => path[0] === row.trait);
  const tested = ofTrait.map(({ path, tests }) => ({ value: valueAt(value, path.slice(1)), tests }));
  const matched = matchedTexts(tested, row.digits);
  return { isDeleted, value, setAt: { ...timesOfVersion(BigInt(row.version)), user: row.user }, matched };
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
