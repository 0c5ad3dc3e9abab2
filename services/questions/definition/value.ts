/** The SQL that tests one JSON value in ClickHouse, independent of where the value is stored. */
import type { NumberConstant, TextOptions } from './audience.ts';
import { foldCase, foldCaseSql } from '../../stores/analytics/letter-case.ts';
import type { Params } from '../sql/params.ts';

export const OPERATOR_SQL = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
export type ComparisonSql = '=' | (typeof OPERATOR_SQL)[keyof typeof OPERATOR_SQL];

/**
 * Expressions over a row. Those that are conditions are never NULL: false where the value is missing or of another type.
 *
 * Numbers: exact where both sides are whole numbers of 64 bits, by double otherwise.
 */
export interface ValueSql {
  /** There is a value, whatever its type. */
  exists(): string;
  /** The string itself; NULL if the value is not a string. */
  string(): string;
  /** The number: `integer` (Int128) if it is stored as a whole one, else `double`. Each NULL where it is not. */
  number(): NumberSql;
  isBoolean(value: boolean): string;
  isNumber(comparison: ComparisonSql, value: NumberConstant): string;
  isOneOf(values: readonly NumberConstant[]): string;
  /** It is a list with this member. */
  hasString(value: string, options?: TextOptions): string;
  hasBoolean(value: boolean): string;
  hasNumber(value: NumberConstant): string;
  /** It is a list with an object that passes: `passes` makes the condition of the members of one. */
  hasObject(passes: (memberAt: (path: readonly string[]) => ValueSql) => string): string;
}

export interface NumberSql {
  readonly integer: string;
  readonly double: string;
}

/** The condition that a string equals this one. NULL where it is. */
export function equalsSql(params: Params, string: string, value: string, options: TextOptions = {}): string {
  return `${foldedSql(string, options)} = ${params.string(folded(value, options))}`;
}

/** A string as it is compared. */
export function foldedSql(string: string, { ignoresCase }: TextOptions): string {
  return ignoresCase === true ? foldCaseSql(string) : string;
}

export function folded(text: string, { ignoresCase }: TextOptions): string {
  return ignoresCase === true ? foldCase(text) : text;
}

/** False instead of NULL. */
export function orFalse(condition: string): string {
  return `ifNull(${condition}, false)`;
}

/** At least one of them. */
export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? `${conditions[0]}` : `(${conditions.join(' OR ')})`;
}

export interface Numbers {
  readonly integers: readonly bigint[];
  /** Those that are not compared as integers. */
  readonly others: readonly number[];
  /** All of them. */
  readonly doubles: readonly number[];
}

export function splitNumbers(values: readonly NumberConstant[]): Numbers {
  return {
    integers: values.flatMap(({ integer }) => (integer === null ? [] : [integer])),
    others: values.flatMap(({ integer, double }) => (integer === null ? [double] : [])),
    doubles: values.map(({ double }) => double),
  };
}
