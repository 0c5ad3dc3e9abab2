import { columnPath } from '../../stores/analytics/json-path.ts';
import type { NumberConstant, TextOptions } from '../definition/audience.ts';
import type { Params } from './params.ts';
import { PropertyTextValue } from './text-value.ts';
import {
  anyOf,
  type ComparisonSql,
  equalsSql,
  type NumberSql,
  orFalse,
  splitNumbers,
  type ValueSql,
} from '../definition/value.ts';

// A backtick would make ClickHouse read a key as the name of a type, or crash (getSubcolumn(p, ':`Int64`') in 26.7); a
// backslash or a control character does not come through in a parameter of type Identifier, nor does an apostrophe over
// HTTP (the official client escapes it, the server takes the escape for the name); '' is no subcolumn.
// eslint-disable-next-line no-control-regex -- control characters are what it is about
const UNNAMEABLE = /['`\\\u0000-\u001f\u007f]|^$/;

const WHOLE = ['Int64', 'UInt64'] as const;
const NUMERIC = [...WHOLE, 'Float64'] as const;

/** Whether the column has a subcolumn that can be named for these keys. */
export function isNameable(path: readonly string[]): boolean {
  return !UNNAMEABLE.test(columnPath(path));
}

/**
 * A member of the `properties` column, read by its subcolumns: one for each type that its values have. A subcolumn is
 * named by a parameter of type Identifier because that reads it alone; `getSubcolumn` reads the whole column.
 */
export class ColumnValue implements ValueSql {
  readonly #params: Params;
  readonly #keys: readonly string[];
  readonly #path: string;
  readonly #nested: string;

  constructor(params: Params, keys: readonly string[]) {
    this.#params = params;
    this.#keys = keys;
    this.#path = `properties.${columnPath(keys)}`;
    const [first = '', ...others] = keys.map((key) => columnPath([key]));
    this.#nested = ['properties', `^\`${first}\``, ...others].join('.');
  }

  /** An object is not a value of the column; its members are. */
  exists(): string {
    const nested = this.#params.identifier(this.#nested);
    return `(isNotNull(${this.dynamic()}) OR notEmpty(JSONAllPaths(${nested})))`;
  }

  /** The value of whatever type, as Dynamic. */
  dynamic(): string {
    return this.#params.identifier(this.#path);
  }

  string(): string {
    return this.typed('String');
  }

  number(): NumberSql {
    const integer = `coalesce(${WHOLE.map((type) => `toInt128(${this.typed(type)})`).join(', ')})`;
    return { integer, double: this.typed('Float64') };
  }

  isBoolean(value: boolean): string {
    return orFalse(`${this.typed('Bool')} = ${value}`);
  }

  isNumber(comparison: ComparisonSql, value: NumberConstant): string {
    const wanted = this.#comparedTo(comparison, value);
    return orFalse(anyOf(NUMERIC.map((type) => wanted(type, this.typed(type)))));
  }

  isOneOf(values: readonly NumberConstant[]): string {
    const { integers, others, doubles } = splitNumbers(values);
    const conditions = [`${this.typed('Float64')} IN ${this.#params.doubles(doubles)}`];
    for (const type of WHOLE) {
      if (integers.length > 0) conditions.push(`${this.typed(type)} IN ${this.#params.integers(integers)}`);
      if (others.length > 0) conditions.push(`toFloat64(${this.typed(type)}) IN ${this.#params.doubles(others)}`);
    }
    return orFalse(anyOf(conditions));
  }

  hasString(value: string, options?: TextOptions): string {
    return this.#has('String', (member) => equalsSql(this.#params, member, value, options));
  }

  hasBoolean(value: boolean): string {
    return this.#has('Bool', (member) => `${member} = ${value}`);
  }

  hasNumber(value: NumberConstant): string {
    const wanted = this.#comparedTo('=', value);
    return anyOf(NUMERIC.map((type) => this.#has(type, (member) => wanted(type, member))));
  }

  /** By the text: the column does not have the objects of lists (stores/analytics/json-column.ts). */
  hasObject(passes: (memberAt: (path: readonly string[]) => ValueSql) => string): string {
    return new PropertyTextValue(this.#params, 'readable(properties_text)', this.#keys).hasObject(passes);
  }

  /** Lists of one type have a subcolumn each; those of several types are lists of Dynamic. */
  #has(type: string, isWanted: (member: string) => string): string {
    const one = this.typed(`Array(Nullable(${type}))`);
    const mixed = this.typed('Array(Dynamic)');
    const inOne = `arrayExists(member -> ${orFalse(isWanted('member'))}, ${one})`;
    const inMixed = `arrayExists(member -> ${orFalse(isWanted(`dynamicElement(member, '${type}')`))}, ${mixed})`;
    return anyOf([inOne, inMixed]);
  }

  #comparedTo(comparison: ComparisonSql, { integer, double }: NumberConstant) {
    return (type: (typeof NUMERIC)[number], sql: string): string => {
      if (type === 'Float64') return `${sql} ${comparison} ${this.#params.double(double)}`;
      if (integer !== null) return `${sql} ${comparison} ${this.#params.integer(integer)}`;
      return `toFloat64(${sql}) ${comparison} ${this.#params.double(double)}`;
    };
  }

  /** The value where it has this type; NULL otherwise. */
  typed(type: string): string {
    return this.#params.identifier(`${this.#path}.:\`${type}\``);
  }
}
