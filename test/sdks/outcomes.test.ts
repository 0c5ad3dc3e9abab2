import { describe, expect, test } from 'vitest';
import type { Call } from './call.ts';
import { differencesOf } from './differences.ts';
import type { Exchange } from './sdk-proxy.ts';
import { outcomeOf } from './outcomes.ts';
import { verdictOf } from './page.ts';

const TIME = '2026-01-02T03:04:05.678Z';

const TRACK: Call = {
  type: 'track',
  userId: 'ada',
  anonymousId: 'nobody',
  event: 'Bought',
  properties: { total: 1.5 },
  context: { ip: '192.0.2.7' },
  timestamp: TIME,
};
const EVENT = {
  event: 'Bought',
  timestamp: TIME,
  properties: { total: 1.5, context: { ip: '192.0.2.7', library: 'x' } },
  anonymous_id: 'nobody',
};

const IDENTIFY: Call = { type: 'identify', userId: 'ada', traits: { plan: 'pro', old: null }, timestamp: TIME };
const PROFILE = { traits: { plan: 'pro' }, first_seen: TIME };

describe('a record', () => {
  test('a record of what was called has no difference', () => {
    expect(differencesOf([IDENTIFY, TRACK], [], { profile: PROFILE, events: [EVENT] })).toEqual([]);
  });

  test.each([
    ['message', []],
    ['recorded more than once', [EVENT, EVENT]],
    ['timestamp', [{ ...EVENT, timestamp: '2026-11-24T00:00:00Z' }]],
    ['properties', [{ ...EVENT, properties: { ...EVENT.properties, total: 1 } }]],
    ['context', [{ ...EVENT, properties: { total: 1.5 } }]],
    ['anonymousId', [{ ...EVENT, anonymous_id: null }]],
  ])('a record without its %s differs in that', (difference, events) => {
    expect(differencesOf([TRACK], [], { profile: undefined, events })).toEqual([difference]);
  });

  test.each([
    ['name', { type: 'page', name: 'Pricing' }],
    ['category', { type: 'page', category: 'Docs' }],
    ['groupId', { type: 'group', groupId: 'acme' }],
    ['traits', { type: 'group', traits: { industry: 'Steel' } }],
    ['previousId', { type: 'alias', previousId: 'before' }],
  ] as const)('of an event without its %s differs in that', (difference, call) => {
    const events = [{ event: call.type, timestamp: TIME, properties: {} }];

    expect(differencesOf([{ ...call, timestamp: TIME }], [], { profile: undefined, events })).toEqual([difference]);
  });

  test.each([
    ['traits', { ...PROFILE, traits: { plan: 'pro', old: 1 } }],
    ['traits', { ...PROFILE, traits: {} }],
    ['timestamp', { ...PROFILE, first_seen: '2026-11-24T00:00:00Z' }],
  ])('a profile that differs in its %s is a difference', (difference, profile) => {
    expect(differencesOf([IDENTIFY], [], { profile, events: [] })).toEqual([difference]);
  });

  test('what an SDK cannot say is not compared', () => {
    const events = [{ ...EVENT, timestamp: '2026-11-24T00:00:00Z' }];

    expect(differencesOf([TRACK], ['timestamp'], { profile: undefined, events })).toEqual([]);
  });
});

describe('an outcome', () => {
  const refused = [{ path: '/v1/t', status: 404 } as Exchange];
  const good = { name: 'track', expected: 'kept' } as const;
  const wrongKey = { name: 'wrong key', expected: 'refused' } as const;

  test.each([
    ['kept', '', good, [], []],
    ['lost', 'loses timestamp, loses context', good, [], ['timestamp', 'context']],
    ['refused', '404 at `/v1/t`', good, refused, ['message']],
    ['refused', '', wrongKey, [{ path: '/v1/t', status: 401 } as Exchange], ['message']],
    ['refused', '404 at `/v1/t`', wrongKey, refused, ['message']],
    ['kept', 'no answer', wrongKey, [], []],
  ] as const)('is %s with the difference "%s"', (outcome, difference, scenario, exchanges, differences) => {
    expect(outcomeOf('an SDK', scenario, { ran: 'done', exchanges, differences })).toMatchObject({
      outcome,
      difference,
    });
  });

  test('the outcome tells of an SDK that ends its process, or does not come to an end', () => {
    const seen = { exchanges: [], differences: [] };

    expect(outcomeOf('an SDK', good, { ...seen, ran: 'ended' })).toMatchObject({ endsProcess: true });
    expect(outcomeOf('an SDK', good, { ...seen, ran: 'stuck' })).toMatchObject({ difference: 'keeps trying' });
  });
});

describe('a verdict', () => {
  const kept = { sdk: 'an SDK', scenario: 'track', outcome: 'kept', difference: '', endsProcess: false } as const;
  const lost = { ...kept, outcome: 'lost', difference: 'loses traits' } as const;

  test('the outcome is "works" where nothing differs', () => {
    expect(verdictOf([kept, { ...kept, scenario: 'page' }])).toBe('works');
  });

  test('the outcome names what differs, and where that is not everywhere', () => {
    const identify = { ...lost, scenario: 'identify', difference: 'loses traits, loses context' };

    expect(verdictOf([lost, identify])).toBe('loses traits; loses context (identify)');
    expect(verdictOf([kept, identify])).toBe('loses traits (identify); loses context (identify)');
    expect(verdictOf([kept, { ...kept, endsProcess: true }])).toBe('ends the process (track)');
  });
});
