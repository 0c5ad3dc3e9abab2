import type { NumberConstant } from '../definition/audience.ts';
import type { Params } from './params.ts';
import { anyOf, type ComparisonSql, orFalse, type ValueSql } from '../definition/value.ts';

/**
 * Makes JSON text readable for ClickHouse's parser, which rejects a whole document for one number beyond the range of
 * 64-bit integers or doubles. Such numbers become the nearest finite double. Only text that may have one is changed.
 */
export const READABLE_SQL = String.raw`json -> if(
        match(json, '[0-9]{19}|[eE][+-]?[0-9]{3}'),
        arrayStringConcat(arrayMap(
            token -> multiIf(
                NOT match(token, '^-?[0-9]'), token,
                isNotNull(toInt64OrNull(token)) OR isNotNull(toUInt64OrNull(token)), token,
                replaceRegexpOne(
                    toString(least(greatest(toFloat64OrZero(token), -1.7976931348623157e308), 1.7976931348623157e308)),
                    '^(-?[0-9]+)$', '\\1.0')),
            extractAll(json, '"(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+'))),
        json)`;

/** A member of JSON text, or with no keys the whole of it. `text` has been through `READABLE_SQL`. */
export class TextValue implements ValueSql {
  readonly #params: Params;
  readonly #text: string;
  readonly #keys: readonly string[];

  constructor(params: Params, text: string, keys: readonly string[]) {
    this.#params = params;
    this.#text = text;
    this.#keys = keys;
  }

  exists(): string {
    return `${this.extract('JSONType')} != 'Null'`;
  }

  string(): string {
    return `if(${this.#isOfType('String')}, ${this.extract('JSONExtractString')}, NULL)`;
  }

  isBoolean(value: boolean): string {
    return `(${this.#isOfType('Bool')} AND ${this.extract('JSONExtractBool')} = ${value})`;
  }

  isNumber(comparison: ComparisonSql, { integer, double }: NumberConstant): string {
    const byDouble = `${this.extract('JSONExtractFloat')} ${comparison} ${this.#params.double(double)}`;
    const isNumber = anyOf(['Int64', 'UInt64', 'Double'].map((type) => this.#isOfType(type)));
    if (integer === null) return `(${isNumber} AND ${byDouble})`;
    const exact = (extract: string) => `${this.extract(extract)} ${comparison} ${this.#params.integer(integer)}`;
    const cases = [
      `${this.#isOfType('Int64')}, ${exact('JSONExtractInt')}`,
      `${this.#isOfType('UInt64')}, ${exact('JSONExtractUInt')}`,
      `${this.#isOfType('Double')}, ${byDouble}`,
    ];
    return `multiIf(${cases.join(', ')}, false)`;
  }

  isOneOf(values: readonly NumberConstant[]): string {
    return anyOf(values.map((value) => this.isNumber('=', value)));
  }

  hasString(value: string): string {
    return this.#has((member) => orFalse(`${member.string()} = ${this.#params.string(value)}`));
  }

  hasBoolean(value: boolean): string {
    return this.#has((member) => member.isBoolean(value));
  }

  hasNumber(value: NumberConstant): string {
    return this.#has((member) => member.isNumber('=', value));
  }

  #has(isWanted: (member: TextValue) => string): string {
    const member = new TextValue(this.#params, 'member', []);
    return `arrayExists(member -> ${isWanted(member)}, ${this.extract('JSONExtractArrayRaw')})`;
  }

  #isOfType(type: string): string {
    return `${this.extract('JSONType')} = '${type}'`;
  }

  /** A call of one of ClickHouse's functions over JSON text. */
  extract(fn: string): string {
    return `${fn}(${[this.#text, ...this.#keys.map((key) => this.#params.string(key))].join(', ')})`;
  }
}

// The text of an object without its keys, then the first character of a value: a string, a number, true, false or a
// list.
const KEY_SQL = String.raw`'"(?:[^"\\\\]|\\\\.)*":'`;
const VALUE_SQL = String.raw`'["0-9tf\\[]'`;

/** A member of an event's properties as text. As in the column, an object without a value in it does not exist. */
export class PropertyTextValue extends TextValue {
  override exists(): string {
    const values = `replaceRegexpAll(${this.extract('JSONExtractRaw')}, ${KEY_SQL}, '')`;
    return `(${super.exists()} AND (${this.extract('JSONType')} != 'Object' OR match(${values}, ${VALUE_SQL})))`;
  }
}
