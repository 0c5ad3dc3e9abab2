import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import audience from '../../../schemas/audience.json' with { type: 'json' };
import counts from '../../../schemas/event-counts.json' with { type: 'json' };
import query from '../../../schemas/event-query.json' with { type: 'json' };
import funnel from '../../../schemas/funnel.json' with { type: 'json' };
import { readCountsQuestion, readEventsQuestion } from '../../../services/questions/events/read-question.ts';
import { readFunnel } from '../../../services/questions/events/read-funnel.ts';
import { PROJECT } from '../../support/http/reading-server.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
ajv.addSchema(audience);
const SCHEMAS = [
  { name: 'event-query.json', validate: ajv.compile(query), read: readEventsQuestion },
  { name: 'event-counts.json', validate: ajv.compile(counts), read: readCountsQuestion },
  { name: 'funnel.json', validate: ajv.compile(funnel), read: readFunnel },
] as const;

// What a schema cannot say: which time zones, dates and cursors there are, and how many buckets a period has.
const BEYOND_SCHEMA = /\/(timezone|cursor|interval|count|between|between\/\d|since|before)$/;
const SOUND = [
  {},
  { event: 'x', where: [{ property: 'a', is: 1 }], within: { last: '7d' }, users: { trait: 'a', exists: true } },
  { measure: 'count' },
  { measure: 'sum', of: 'a', interval: 'day', within: { last: '7d' }, split: { property: ['a', 'b'], top: 5 } },
  { measure: 'percentile', of: ['a'], p: 50, compare: 'previous', within: { since: '2026-01-01' } },
  { measure: 'users', event: ['a', 'b'], timezone: 'Asia/Kathmandu', split: { trait: 'plan' } },
  { limit: 5 },
  { sequence: { event: 'a', followed_by: { event: { any: true }, within: '7d' } }, split: { trait: 'plan' } },
  {
    sequence: { event: ['a'], within: { last: '7d' }, followed_by: { event: 'b', within: '1d' } },
    users: { event: 'c' },
  },
];
const LEAVES = [
  'x',
  '',
  5,
  0,
  -1,
  1.5,
  null,
  true,
  [],
  {},
  ['a', 'b'],
  'users',
  'sum',
  'day',
  'previous',
  '2026-01-01',
];
const WORDS = [
  'event',
  'where',
  'within',
  'users',
  'measure',
  'of',
  'p',
  'interval',
  'timezone',
  'split',
  'compare',
].concat(
  ['limit', 'cursor', 'top', 'trait', 'property', 'last', 'since', 'before', 'other'],
  ['sequence', 'followed_by', 'not_followed_by'],
);

/** A sound question with one member set, in it or one level below, to something else. */
const nearlySound = fc
  .tuple(fc.constantFrom(...SOUND), fc.nat(5), fc.constantFrom(...WORDS), fc.constantFrom<unknown>(...LEAVES))
  .map(([sound, which, word, leaf]) => {
    const copy = structuredClone(sound) as Record<string, unknown>;
    const objects = [copy, ...Object.values(copy)].filter(
      (one): one is Record<string, unknown> => typeof one === 'object' && one !== null && !Array.isArray(one),
    );
    (objects[which % objects.length] as Record<string, unknown>)[word] = structuredClone(leaf);
    return copy;
  });

test.each(SCHEMAS)('the schema $name accepts and refuses what the parser does', ({ validate, read }) => {
  fc.assert(
    fc.property(fc.oneof(nearlySound, fc.constantFrom(...SOUND)), (body) => {
      const found = read({ project: PROJECT, text: JSON.stringify(body) });
      const problems = found.ok ? [] : found.problems;
      const isBeyondSchema = problems.length > 0 && problems.every(({ path }) => BEYOND_SCHEMA.test(path));
      if (!isBeyondSchema) expect([body, validate(body)]).toEqual([body, found.ok]);
    }),
    { numRuns: 3000 },
  );
});
