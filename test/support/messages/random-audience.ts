import * as fc from 'fast-check';
import { MAX_LIST_DEPTH } from '../../../services/questions/definition/limits.ts';
import { DATES, dateTest } from './random-dates.ts';
import { count, measureOf, objectOf, sequenceMembers } from './random-events.ts';

/** Times worth trying, before the evaluation, in microseconds: on the edges of an hour, a day, 30 days. Some lie ahead. */
const HOUR = 3_600_000_000n;
export const AGES = [
  0n,
  1n,
  HOUR,
  23n * HOUR,
  24n * HOUR,
  24n * HOUR + 1n,
  48n * HOUR,
  720n * HOUR,
  720n * HOUR + 1n,
].concat(9_000n * HOUR, 800_000n * HOUR, -24n * HOUR);

export const EVENTS = ['Bought', 'Said "hi"', "It's {p0:String}"];

const KEYS = [
  'a',
  'b',
  'a.b',
  'a b',
  "a'b",
  'a"b',
  'a`b',
  '',
  'a\\b',
  '%2E',
  'a%2Eb',
  'é😀',
  '^a',
  '^`a`',
  ':`Int64`',
  'a\nb',
].concat(['__proto__', '{p0:String}', '1', 'a[]', '.']);

// As they are written. Two that one double stands for, the ends of 64 bits, and what lies beyond.
const NUMBERS = [
  '0',
  '1',
  '2',
  '-1',
  '-0',
  '50',
  '1.5',
  '0.1',
  '1e3',
  '9007199254740993',
  '9007199254740992',
  '-9223372036854775808',
].concat(
  ['18446744073709551615', '18446744073709551616', '1e400', '0.1000000000000000055'],
  ['9007199254740993.0'],
  ['9.007199254740993e15'],
);
const SMALL_NUMBERS = ['0', '1', '2', '1.5'];
const TEXTS = [
  '',
  'a',
  'ab',
  'b',
  '1',
  'true',
  '2026-11-20',
  '\\',
  "'",
  '"',
  '😀',
  '\uFFFD',
  '{p0:String}',
  'null',
  '\n',
  'AΣb',
  'aσB',
];

const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 2, arbitrary: fc.constantFrom(...KEYS) },
);
const text = fc.constantFrom(...TEXTS).map((string) => JSON.stringify(string));
const boolean = fc.constantFrom('true', 'false');
const constant = fc.oneof(fc.constantFrom(...NUMBERS), text, boolean, fc.constantFrom(...DATES));

const list = fc
  .oneof(
    fc.array(fc.oneof(fc.constantFrom(...SMALL_NUMBERS), text, boolean, fc.constantFrom('null', '{"a":1}', '[1]')), {
      maxLength: 3,
    }),
    fc.array(fc.constantFrom('9007199254740993', '18446744073709551615', '-1', '1.5', 'null', '"a"'), { maxLength: 3 }),
  )
  .map((members) => `[${members.join(',')}]`);

const { value } = fc.letrec<{ value: string; object: string; objects: string }>((tie) => ({
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 2 }).map(objectText),
  objects: fc
    .array(fc.oneof({ weight: 4, arbitrary: tie('object') }, constant), { minLength: 1, maxLength: 3 })
    .map((members) => `[${members.join(',')}]`),
  value: fc.oneof(
    { maxDepth: 3 },
    constant,
    list,
    fc.constant('null'),
    { weight: 3, arbitrary: tie('object') },
    { weight: 2, arbitrary: tie('objects') },
  ),
}));

/** The text of a JSON object. */
export const object = fc.array(fc.tuple(key, value), { maxLength: 6, size: 'max' }).map(objectText);

/** A scalar that stands somewhere in what was sent, or in a list there, and where. */
export interface Spot {
  readonly path: readonly string[];
  /** JSON text. */
  readonly value: string;
  /** What stands in it, where it is an object in a list. */
  readonly inside?: readonly Spot[];
}

/** Every scalar in an object, as `parseBody` gives it, and the places of objects, whose value is not looked at. */
export function spotsIn(container: object, path: readonly string[] = [], lists = 0): Spot[] {
  return Object.entries(container).flatMap(([name, member]: [string, unknown]) => {
    const at = [...path, name];
    if (Array.isArray(member)) return member.flatMap((one: unknown) => spotsInList(one, at, lists));
    if (isScalar(member)) return [{ path: at, value: JSON.stringify(member) }];
    if (typeof member !== 'object' || member === null) return [];
    return [{ path: at, value: '1' }, ...spotsIn(member, at, lists)];
  });
}

/** The lists in lists are one fewer than a definition may ask about: an operator may ask about another. */
function spotsInList(member: unknown, at: readonly string[], lists: number): Spot[] {
  if (isScalar(member)) return [{ path: at, value: JSON.stringify(member) }];
  if (typeof member !== 'object' || member === null || Array.isArray(member) || lists + 1 === MAX_LIST_DEPTH) return [];
  const inside = spotsIn(member, [], lists + 1);
  return inside.length === 0 ? [] : [{ path: at, value: '1', inside }];
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || JSON.isRawJSON(value);
}

/** Patterns that are the same in RE2 and in JavaScript. */
const PATTERNS = [
  '^a',
  'B$',
  '^(a|ab)$',
  '[0-9]{4}-[0-9]+',
  '^.$',
  '',
  '😀?b',
  '[^a]',
  'σ',
  '(?:é|Σ)+b?$',
  '^\\s*$',
  '\\\\',
];

/** A member and operators that have to do with what there is, more often than not. */
function memberAbout(name: string, spots: readonly Spot[]): fc.Arbitrary<string> {
  return fc
    .constantFrom(...spots)
    .chain(({ path, value, inside }) =>
      fc.tuple(
        pathText(path),
        inside === undefined
          ? testsAbout(value)
          : fc.oneof({ weight: 4, arbitrary: hasAbout(inside) }, { weight: 1, arbitrary: testsAbout(value) }),
      ),
    )
    .map(([path, tests]) => objectOf([[name, path], ...tests]));
}

function hasAbout(inside: readonly Spot[]): fc.Arbitrary<[string, string][]> {
  return fc
    .array(memberAbout('property', inside), { minLength: 1, maxLength: 2 })
    .map((members): [string, string][] => [['has', `[${members.join(',')}]`]]);
}

function testsAbout(value: string): fc.Arbitrary<[string, string][]> {
  const wanted = fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: constant });
  const bound = wanted.map((one) => (one === 'true' || one === 'false' ? '1' : one));
  const start = value.startsWith('"') ? JSON.stringify(Array.from(JSON.parse(value) as string)[0] ?? '') : '"a"';
  const end = value.startsWith('"') ? JSON.stringify(Array.from(JSON.parse(value) as string).at(-1) ?? '') : '"B"';
  const test = fc.oneof(
    fc.tuple(fc.constantFrom('is', 'is_not', 'contains'), wanted),
    fc.tuple(fc.constant('contains'), fc.constant(start)),
    fc.tuple(
      fc.constant('in'),
      fc.array(wanted, { minLength: 1, maxLength: 4 }).map((values) => `[${values.join(',')}]`),
    ),
    fc.tuple(fc.constant('exists'), boolean),
    fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), bound),
    fc.tuple(fc.constant('starts_with'), fc.constant(start)),
    fc.tuple(fc.constant('ends_with'), fc.constant(end)),
    fc.tuple(
      fc.constant('matches'),
      fc.constantFrom(...PATTERNS).map((pattern) => JSON.stringify(pattern)),
    ),
    fc.tuple(
      fc.constant('has'),
      fc
        .constantFrom('exists":false', 'exists":true', 'is_not":1', 'matches":"^.$"', 'matches":"[^a]"')
        .map((one) => `[{"property":"a","${one}}]`),
    ),
    { weight: DATES.includes(value) ? 12 : 1, arbitrary: dateTest },
  );
  return fc
    .tuple(fc.array(test, { minLength: 1, maxLength: 2 }), fc.boolean())
    .map(([tests, ignoresCase]): [string, string][] => {
      const isOfText = tests.some(([name]) => !['exists', 'date', 'has', 'gt', 'gte', 'lt', 'lte'].includes(name));
      return isOfText && ignoresCase ? [...tests, ['ignore_case', 'true']] : tests;
    });
}

const instant = fc.constantFrom('"1h"', '"24h"', '"30d"', '"2026-11-19"', '"2026-11-20T11:00:00Z"');
const period = fc.oneof(
  fc.constantFrom('1h', '24h', '1d', '30d', '60w').map((last) => `{"last":"${last}"}`),
  instant.map((since) => `{"since":${since}}`),
  instant.map((before) => `{"before":${before}}`),
  fc
    .constantFrom('["30d","1h"]', '["2026-10-21T12:00:00Z","2026-11-20T12:00:00Z"]', '["60w","2026-11-20"]')
    .map((between) => `{"between":${between}}`),
);

/** The texts of definitions that ask about these. A few are refused: never done, with a first or last time. */
export function definitionAbout(spots: readonly Spot[]): fc.Arbitrary<string> {
  const path = fc.constantFrom(...spots).chain((one) => pathText(one.path));
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 3, arbitrary: memberAbout('trait', spots) },
      { weight: 4, arbitrary: eventCondition(memberAbout('property', spots), path) },
      { weight: 1, arbitrary: sample },
      { weight: 1, arbitrary: listed },
      { weight: 1, arbitrary: fc.constantFrom('{"audience":"other"}', '{"audience":"inner"}') },
      { weight: 1, arbitrary: groupOf('all', tie('node')) },
      { weight: 1, arbitrary: groupOf('any', tie('node')) },
      { weight: 1, arbitrary: tie('node').map((part) => `{"not":${part}}`) },
    ),
  }));
  return node;
}

const sample = fc
  .tuple(fc.constantFrom('0.01', '10', '33.33', '50', '1e2'), fc.constantFrom('a', '😀 "'))
  .map(([percent, seed]) => `{"sample":{"percent":${percent},"seed":${JSON.stringify(seed)}}}`);

const listed = fc
  .subarray(["o'{p0:String}", 'user 1', 'user 2', 'user 3', 'user 1', 'nobody "'], { minLength: 1 })
  .map((ids) => `{"users":${JSON.stringify(ids)}}`);

const eventNames = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...EVENTS).map((name) => JSON.stringify(name)) },
  {
    weight: 1,
    arbitrary: fc.subarray([...EVENTS, 'Unheard of'], { minLength: 1 }).map((names) => JSON.stringify(names)),
  },
  { weight: 1, arbitrary: fc.constant('{"any":true}') },
);

function eventCondition(member: fc.Arbitrary<string>, path: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const seldom = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2, nil: null });
  const rarely = fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: period });
  const where = fc.array(member, { minLength: 1, maxLength: 2 }).map((members) => `[${members.join(',')}]`);
  const event = fc
    .record({
      event: eventNames,
      where: seldom(where),
      count: seldom(count),
      within: seldom(period),
      first: rarely,
      last: rarely,
      measure: fc.option(measureOf(path), { freq: 2, nil: null }),
    })
    .map((given) => Object.entries(given).filter((one): one is [string, string] => one[1] !== null));
  const sequence = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: sequenceMembers(eventNames, where) },
  );
  return fc.tuple(event, sequence).map((parts) => objectOf(parts.flat()));
}

function groupOf(kind: string, part: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `{"${kind}":[${parts.join(',')}]}`);
}

function pathText([first = '', ...nested]: readonly string[]): fc.Arbitrary<string> {
  const asList = JSON.stringify([first, ...nested]);
  return nested.length === 0 ? fc.constantFrom(JSON.stringify(first), asList) : fc.constant(asList);
}

function objectText(members: readonly (readonly [string, string])[]): string {
  return objectOf([...new Map(members)]);
}
