/** What patterns match, as ClickHouse says beside each row that is read for one user or for some. */
import type { EventCondition, Member, Test, TraitCondition } from '../definition/audience.ts';
import { isJsonObject } from '../definition/reading.ts';
import type { Params } from '../sql/params.ts';
import { valueAt } from '../sql/stored-value.ts';
import { PropertyTextValue, TextValue } from '../sql/text-value.ts';
import { namesSql } from '../sql/user-sets.ts';
import type { MatchedTexts, TestOf } from './operator.ts';
import { matchSql } from './pattern.ts';

/**
 * The column of a row of a trait for `matchedTexts`: a digit for each value that a pattern of these conditions tests, 1
 * where it matches.
 */
export function traitDigitsSql(params: Params, conditions: readonly TraitCondition[]): string {
  const byName = Map.groupBy(conditions, ({ path }) => path[0] ?? '');
  const cases = [...byName].flatMap(([name, ofName]) => {
    const values = ofName.map(({ path, tests }) => {
      return { value: new TextValue(params, 'readable(value)', path.slice(1)), tests };
    });
    return digitsIf(`trait = ${params.string(name)}`, params, values);
  });
  return cases.length === 0 ? `''` : `multiIf(${cases.join(', ')}, '')`;
}

/** The same of an event, of the conditions that name it. */
export function eventDigitsSql(params: Params, conditions: readonly EventCondition[]): string {
  const each = conditions.flatMap(({ events, where }) => {
    const values = where.map(({ path, tests }) => {
      return { value: new PropertyTextValue(params, 'readable(properties_text)', path), tests };
    });
    const [isNamed = 'true'] = namesSql(params, events);
    return digitsIf(isNamed, params, values).map((cases) => `if(${cases}, '')`);
  });
  return each.length === 0 ? `''` : `concat('', ${each.join(', ')})`;
}

interface Tested<Value> {
  readonly value: Value;
  readonly tests: readonly Test[];
}

/** Nothing where no value is tested by a pattern. */
function digitsIf(condition: string, params: Params, values: readonly Tested<TextValue>[]): readonly string[] {
  const digits = values.flatMap((value) => digitsOf(params, value));
  return digits.length === 0 ? [] : [`${condition}, concat('', ${digits.join(', ')})`];
}

function digitsOf(params: Params, { value, tests }: Tested<TextValue>): readonly string[] {
  return tests.flatMap((test) => {
    if (test.test === 'matches') return [`toUInt8(${matchSql(params, value.string(), test)})`];
    if (test.test !== 'has') return [];
    const ofObject = (memberAt: (path: readonly string[]) => TextValue): readonly string[] =>
      test.members.flatMap(({ path, tests: ofMember }) => digitsOf(params, { value: memberAt(path), tests: ofMember }));
    const has = value.eachObject((memberAt) => `concat('', ${ofObject(memberAt).join(', ')})`);
    return test.members.some(hasPattern) ? [`arrayStringConcat(${has})`] : [];
  });
}

function hasPattern({ tests }: Pick<Member, 'tests'>): boolean {
  return tests.some((test) => test.test === 'matches' || (test.test === 'has' && test.members.some(hasPattern)));
}

/** @param values Those of the conditions that were asked about, in that order. @param digits As ClickHouse answered. */
export function matchedTexts(values: readonly Tested<unknown>[], digits: string): MatchedTexts {
  const found = new Map<Test, Set<string>>();
  if (!digits.includes('1')) return found;
  const tested = values.flatMap((value) => [...testedIn(value)]);
  for (const [index, [test, text]] of tested.entries()) {
    if (digits[index] !== '1' || typeof text !== 'string') continue;
    const texts = found.get(test) ?? new Set();
    found.set(test, texts.add(text));
  }
  return found;
}

/** The values that patterns test, in the order of the digits. */
function* testedIn({ value, tests }: Tested<unknown>): Generator<readonly [TestOf<'matches'>, unknown]> {
  for (const test of tests) {
    if (test.test === 'matches') yield [test, value];
    if (test.test !== 'has' || !test.members.some(hasPattern) || !Array.isArray(value)) continue;
    for (const object of value.filter(isJsonObject))
      for (const member of test.members) yield* testedIn({ value: valueAt(object, member.path), tests: member.tests });
  }
}
