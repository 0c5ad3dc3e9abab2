import type { NumberConstant, TextOptions } from '../definition/audience.ts';
import type { Params } from './params.ts';
import {
  anyOf,
  type ComparisonSql,
  equalsSql,
  type NumberSql,
  orFalse,
  splitNumbers,
  type ValueSql,
} from '../definition/value.ts';

/** A member of JSON text, or with no keys the whole of it. `text` has been through `readable`. */
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

  number(): NumberSql {
    const whole = (type: string, fn: string) => `${this.#isOfType(type)}, toInt128(${this.extract(fn)})`;
    return {
      integer: `multiIf(${whole('Int64', 'JSONExtractInt')}, ${whole('UInt64', 'JSONExtractUInt')}, NULL)`,
      double: `if(${this.#isOfType('Double')}, ${this.extract('JSONExtractFloat')}, NULL)`,
    };
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
    const { integers, others, doubles } = splitNumbers(values);
    const isDouble = (wanted: readonly number[]) =>
      `${this.extract('JSONExtractFloat')} IN ${this.#params.doubles(wanted)}`;
    const whole = (type: string, extract: string) => {
      const isWanted = others.length === 0 ? [] : [isDouble(others)];
      if (integers.length > 0)
        isWanted.push(`toInt128(${this.extract(extract)}) IN ${this.#params.integers(integers)}`);
      return `${this.#isOfType(type)}, ${anyOf(isWanted)}`;
    };
    return (
      `multiIf(${whole('Int64', 'JSONExtractInt')}, ${whole('UInt64', 'JSONExtractUInt')}, ` +
      `${this.#isOfType('Double')}, ${isDouble(doubles)}, false)`
    );
  }

  hasString(value: string, options?: TextOptions): string {
    return this.#has((member) => orFalse(equalsSql(this.#params, member.string(), value, options)));
  }

  hasBoolean(value: boolean): string {
    return this.#has((member) => member.isBoolean(value));
  }

  hasNumber(value: NumberConstant): string {
    return this.#has((member) => member.isNumber('=', value), this.#readableMembers());
  }

  hasObject(passes: (memberAt: (path: readonly string[]) => ValueSql) => string): string {
    const isPassed = passes((path) => new TextValue(this.#params, 'member', path));
    return `arrayExists(member -> JSONType(member) = 'Object' AND ${isPassed}, ${this.#readableMembers()})`;
  }

  /** A list: what `of` makes of the members of each object in this one. */
  eachObject(of: (memberAt: (path: readonly string[]) => TextValue) => string): string {
    const objects = `arrayFilter(member -> JSONType(member) = 'Object', ${this.#readableMembers()})`;
    return `arrayMap(member -> ${of((path) => new TextValue(this.#params, 'member', path))}, ${objects})`;
  }

  #has(isWanted: (member: TextValue) => string, members = this.#members()): string {
    const member = new TextValue(this.#params, 'member', []);
    return `arrayExists(member -> ${isWanted(member)}, ${members})`;
  }

  #members(): string {
    return this.extract('JSONExtractArrayRaw');
  }

  /** For numbers: ClickHouse has written them anew, a double of 20 digits without its point. */
  #readableMembers(): string {
    return `arrayMap(member -> readable(member), ${this.#members()})`;
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
