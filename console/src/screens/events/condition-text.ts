/** Conditions on properties and traits, in words and from what was typed. Everything here is pure. */
import type { CatalogMember } from '../../api/types.ts';
import { isList, type Json, jsonText, parseJson } from '../../api/json.ts';
import { valueText } from './figures.ts';
import type { Condition } from './question.ts';

/** The operators, in words; `exists` and `missing` take no value. */
export const OPERATORS = {
  is: 'is',
  is_not: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  starts_with: 'begins with',
  ends_with: 'ends with',
  matches: 'matches',
  exists: 'has a value',
  missing: 'has no value',
} as const;
export type Operator = keyof typeof OPERATORS;

export function takesValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'missing';
}

export type ConditionOn = 'property' | 'trait';

/** What the catalogue knows of a property or of a trait. */
export type ConditionMember = Pick<CatalogMember, 'name' | 'types' | 'examples'>;

export function conditionOf(of: ConditionOn, name: string, operator: Operator, value: Json): Condition {
  if (operator === 'exists' || operator === 'missing') return { [of]: name, exists: operator === 'exists' };
  return { [of]: name, [operator]: value };
}

/**
 * `20` is a number where the property has numbers, every digit as it was typed; `true` likewise. In quotes it is a text, as is
 * everything else.
 */
export function typedValue(text: string, types: CatalogMember['types'], operator: Operator): Json {
  if (/^".*"$/s.test(text)) return text.slice(1, -1);
  const isText = ['contains', 'starts_with', 'ends_with', 'matches'].includes(operator);
  const has = (type: string): boolean => types.length === 0 || types.some((one) => one.type === type);
  if (!isText && has('number') && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return parseJson(text);
  if (!isText && has('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

/** `total is more than 50`; what this screen does not make is shown as JSON. */
export function conditionText(condition: Condition): string {
  const { property, trait, ...operators } = condition;
  const path = property ?? trait ?? null;
  const name = isList(path) ? path.map(valueText).join(' → ') : valueText(path);
  const words = Object.entries(operators).map(([operator, value]) => {
    if (operator === 'exists') return value === true ? OPERATORS.exists : OPERATORS.missing;
    const isOurs = Object.hasOwn(OPERATORS, operator);
    return `${isOurs ? OPERATORS[operator as Operator] : operator.replaceAll('_', ' ')} ${shownValue(value)}`;
  });
  return `${name} ${words.join(' and ')}`;
}

/** A text that could be taken for something else stands in quotes. */
function shownValue(value: Json): string {
  if (typeof value !== 'string') return valueText(value);
  return /^(-?[\d.]+|true|false|null|\s*)$/.test(value) ? jsonText(value) : value;
}
