/** A value in ClickHouse by the types that it may have, and as text that tells it from all others. Pure. */
import { ColumnValue, isNameable } from './column-value.ts';
import type { Params } from './params.ts';
import { PropertyTextValue, type TextValue } from './text-value.ts';

/** A property by the types that it may have: each NULL where the value is of another type. */
interface TypedSql {
  readonly string: string;
  readonly boolean: string;
  readonly int64: string;
  readonly uint64: string;
  readonly float64: string;
}

export function propertySql(params: Params, path: readonly string[]): TypedSql {
  if (!isNameable(path)) return textSql(new PropertyTextValue(params, 'readable(properties_text)', path));
  const value = new ColumnValue(params, path);
  return {
    string: value.typed('String'),
    boolean: value.typed('Bool'),
    int64: value.typed('Int64'),
    uint64: value.typed('UInt64'),
    float64: value.typed('Float64'),
  };
}

export function textSql(value: TextValue): TypedSql {
  const typed = (type: string, extract: string): string =>
    `if(${value.extract('JSONType')} = '${type}', ${value.extract(extract)}, NULL)`;
  return {
    string: value.string(),
    boolean: typed('Bool', 'JSONExtractBool'),
    int64: typed('Int64', 'JSONExtractInt'),
    uint64: typed('UInt64', 'JSONExtractUInt'),
    float64: typed('Double', 'JSONExtractFloat'),
  };
}

const TAGS = `['String', 'Int64', 'Float64', 'Bool', 'UInt64'], ['s', 'n', 'n', 'b', 'n']`;

/**
 * A property as `taggedSql` has it, by a column in a fifth of the time: the value is read once, not once for each type that
 * it may have. Most values are strings, for which the type is not asked.
 */
export function taggedPropertySql(params: Params, path: readonly string[]): string {
  if (!isNameable(path)) return taggedSql(propertySql(params, path));
  const value = new ColumnValue(params, path);
  const string = value.string();
  const tag = `transform(dynamicType(${value.dynamic()}), ${TAGS}, '')`;
  const tagged = `concat(${tag}, CAST(${value.dynamic()}, 'String'))`;
  // Minus zero is zero.
  return `multiIf(isNotNull(${string}), concat('s', assumeNotNull(${string})), ${tag} = '', '', ${tagged} = 'n-0', 'n0', ${tagged})`;
}

export function taggedSql({ string, boolean, int64, uint64, float64 }: TypedSql): string {
  // + 0: minus zero is zero.
  const cases = [
    `concat('s', ${string})`,
    `concat('n', toString(${int64}))`,
    `concat('n', toString(${float64} + 0))`,
    `concat('b', if(${boolean}, 'true', 'false'))`,
    `concat('n', toString(${uint64}))`,
  ];
  return `coalesce(${cases.slice(0, 3).join(', ')}, if(isNull(${boolean}), NULL, ${cases[3]}), ${cases[4]}, '')`;
}

/** A number of a property as SQL. */
export interface NumberSql {
  /** The nearest double; NULL where the value is not a number. */
  readonly double: string;
  /** Millionths, exact; NULL where the value is not a number, or not `EXACT_BELOW` with at most six decimals. */
  readonly millionths: string;
}

// In millionths 2^50 at most: the product of a double and a million is then less than half away from the whole number.
const EXACT_BELOW = 1e9;

export function numberSql(params: Params, path: readonly string[]): NumberSql {
  const { int64, uint64, float64 } = propertySql(params, path);
  // The double that is nearest to a decimal comes of dividing its millionths, and of no other.
  const isDecimal = `abs(${float64}) < ${EXACT_BELOW} AND round(${float64} * 1000000) / 1000000 = ${float64}`;
  const decimal = `if(${isDecimal}, toInt128(toInt64(round(${float64} * 1000000))), NULL)`;
  return {
    double: `coalesce(${float64}, toFloat64(${int64}), toFloat64(${uint64}))`,
    millionths: `coalesce(toInt128(${int64}) * 1000000, toInt128(${uint64}) * 1000000, ${decimal})`,
  };
}
