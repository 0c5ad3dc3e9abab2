import type { NumberConstant, TextOptions } from '../definition/audience.ts';
import type { Params } from './params.ts';
import { TextValue } from './text-value.ts';
import {
  anyOf,
  type ComparisonSql,
  type NumberSql,
  orFalse,
  splitNumbers,
  type ValueSql,
} from '../definition/value.ts';

/** A trait as a whole, by the columns of `trait_rows`; as JSON text only where it is a list. */
export class TraitValue implements ValueSql {
  readonly #params: Params;
  readonly #list: TextValue;

  constructor(params: Params, text: string) {
    this.#params = params;
    this.#list = new TextValue(params, text, []);
  }

  exists(): string {
    return `kind != 'deleted'`;
  }

  string(): string {
    return `if(kind = 'string', text, NULL)`;
  }

  number(): NumberSql {
    const isNumber = `kind = 'number'`;
    return {
      integer: `if(${isNumber}, integer, NULL)`,
      double: `if(${isNumber} AND isNull(integer), number, NULL)`,
    };
  }

  isBoolean(value: boolean): string {
    return `(kind = 'boolean' AND text = '${value}')`;
  }

  isNumber(comparison: ComparisonSql, { integer, double }: NumberConstant): string {
    const byDouble = `number ${comparison} ${this.#params.double(double)}`;
    if (integer === null) return `(kind = 'number' AND ${byDouble})`;
    const exact = `integer ${comparison} ${this.#params.integer(integer)}`;
    return `(kind = 'number' AND ifNull(${exact}, ${byDouble}))`;
  }

  isOneOf(values: readonly NumberConstant[]): string {
    const { integers, others, doubles } = splitNumbers(values);
    const conditions = [`(isNull(integer) AND number IN ${this.#params.doubles(doubles)})`];
    if (integers.length > 0) conditions.push(orFalse(`integer IN ${this.#params.integers(integers)}`));
    if (others.length > 0) conditions.push(`(isNotNull(integer) AND number IN ${this.#params.doubles(others)})`);
    return `(kind = 'number' AND ${anyOf(conditions)})`;
  }

  hasString(value: string, options?: TextOptions): string {
    return `(kind = 'array' AND ${this.#list.hasString(value, options)})`;
  }

  hasBoolean(value: boolean): string {
    return `(kind = 'array' AND ${this.#list.hasBoolean(value)})`;
  }

  hasNumber(value: NumberConstant): string {
    return `(kind = 'array' AND ${this.#list.hasNumber(value)})`;
  }

  hasObject(passes: (memberAt: (path: readonly string[]) => ValueSql) => string): string {
    return `(kind = 'array' AND ${this.#list.hasObject(passes)})`;
  }
}
