import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import schema from '../../schemas/audience.json' with { type: 'json' };
import { readDefinition } from '../../services/questions/definition/definition.ts';

const validate = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

const OPTIONS = {
  timezone: 'UTC',
  audiences: new Map([['plan', { name: 'Plan', definition: { trait: 'plan', is: 'pro' } }]]),
};
// What the schema cannot say: which dates and audiences there are, which period ends before it begins, which count is the larger.
const LEAVES = [
  'plan',
  '',
  5,
  0,
  1.5,
  -1,
  true,
  null,
  '30d',
  '0d',
  '2026-11-20',
  [],
  {},
  ['a', 'b'],
  'first',
  { event: 'Y', within: '1d' },
  ['1d', '2026-11-20'],
];
const WORDS = ['all', 'any', 'not', 'trait', 'event', 'property', 'is', 'is_not', 'in', 'exists', 'gt', 'lte'].concat(
  ['contains', 'starts_with', 'where', 'count', 'within', 'first', 'last', 'between', 'since', 'at_least', 'at_most'],
  [
    'exactly',
    'other',
    'date',
    'next',
    'anniversary',
    'epoch',
    'sample',
    'percent',
    'seed',
    'ends_with',
    'matches',
    'ignore_case',
    'has',
    'audience',
    'users',
  ],
  ['followed_by', 'not_followed_by', 'which', 'measure', 'sum', 'distinct'],
);
const SOUND = [
  { trait: 'plan', is: 'pro' },
  { trait: ['a', 'b'], gte: 1, lt: 'x' },
  { event: 'X' },
  { event: 'X', where: [{ property: 'a', in: [1, 'x', true] }], count: { at_least: 1, at_most: 3 } },
  { event: 'X', count: { exactly: 0 }, within: { between: ['2026-01-01', '1d'] } },
  { event: 'X', first: { last: '2w' }, last: { before: '30d' } },
  { trait: 'signed_up', date: { last: '90d' } },
  { trait: 'trial_ends', date: { between: ['1d', '+7d'], epoch: 'seconds' } },
  { event: 'X', where: [{ property: 'day', date: { anniversary: { next: '7d' } } }] },
  { event: ['X', 'Y'], count: { at_most: 0 } },
  { trait: 'email', ends_with: '.de', matches: '^a', ignore_case: true },
  { event: 'X', where: [{ property: 'a', contains: 'b', ignore_case: false }] },
  { trait: 'cards', has: [{ property: 'kind', in: ['a', 'b'] }], exists: true },
  { event: 'X', where: [{ property: 'a', has: [{ property: ['b', 'c'], has: [{ property: 'd', gt: 1 }] }] }] },
  { event: { any: true }, within: { last: '30d' } },
  { sample: { percent: 10, seed: 'spring' } },
  { not: { audience: 'plan' } },
  { users: ['ada', 'grace'] },
  { event: 'X', followed_by: { event: 'Y', where: [{ property: 'a', is: 1 }], within: '24h' }, which: 'last' },
  { event: 'X', not_followed_by: { event: 'X', within: '2w' } },
  { event: 'X', not_followed_by: { event: { any: true }, within: '7d' } },
  { event: 'X', followed_by: { event: 'Y', within: '1d', followed_by: { event: { any: true }, within: '1d' } } },
  { event: 'X', measure: { sum: ['a', 'b'], gte: 500.5, lt: 1000 }, count: { at_least: 2 } },
  { event: 'X', measure: { distinct: 'a', is: 3 } },
  { all: [{ not: { any: [{ event: 'X' }, { trait: '', exists: false }] } }] },
];

/** A sound definition with one member set, anywhere in it, to something else. */
const nearlySound = fc
  .tuple(fc.constantFrom(...SOUND), fc.nat(20), fc.constantFrom(...WORDS), fc.constantFrom<unknown>(...LEAVES))
  .map(([sound, place, word, leaf]) => {
    const copy = structuredClone(sound);
    const objects = objectsIn(copy);
    (objects[place % objects.length] as Record<string, unknown>)[word] = structuredClone(leaf);
    return copy;
  });

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)];
}

describe('schemas/audience.json', () => {
  test.each([...SOUND, ...schema.examples])('schemas/audience.json accepts %j, as the parser does', (definition) => {
    expect(validate(definition)).toBe(true);
    expect(readDefinition(definition, OPTIONS)).toMatchObject({ ok: true });
  });

  test('schemas/audience.json accepts and refuses what the parser does', () => {
    fc.assert(
      fc.property(nearlySound, (definition) => {
        const read = readDefinition(definition, OPTIONS);
        const isBeyondSchema =
          !read.ok &&
          read.problems.every(({ path }) => /\/(count|measure|between|between\/\d|since|before|audience)$/.test(path));
        if (!isBeyondSchema) expect([definition, validate(definition)]).toEqual([definition, read.ok]);
      }),
      { numRuns: 3000 },
    );
  });

  test('schemas/audience.json has the limits of the parser', () => {
    const values = Array.from({ length: 1001 }, () => 'x');
    const keys = Array.from({ length: 17 }, () => 'x');
    const tooLarge = [
      { trait: 'a', in: values },
      { trait: keys, exists: true },
      { trait: 'x'.repeat(513), exists: true },
      { event: 'X', count: { at_least: 1_000_001 } },
      { event: '😀'.repeat(513) },
    ];
    const largest = [
      { trait: 'a', in: values.slice(1) },
      { trait: keys.slice(1), exists: true },
      { trait: 'x'.repeat(512), exists: true },
      { event: 'X', count: { at_least: 1_000_000 } },
      { event: '😀'.repeat(512) },
    ];

    for (const one of tooLarge)
      expect([validate(one), readDefinition(one, { timezone: 'UTC' }).ok]).toEqual([false, false]);
    for (const one of largest)
      expect([validate(one), readDefinition(one, { timezone: 'UTC' }).ok]).toEqual([true, true]);
  });
});
