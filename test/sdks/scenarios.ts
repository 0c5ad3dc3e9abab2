import type { Call } from './call.ts';

/** What an SDK is made to do, and what must come of it. */
export interface Scenario {
  readonly name: string;
  /** What is right: `refused` only where the key is wrong. */
  readonly expected: 'kept' | 'refused';
  readonly calls: (ids: Ids) => readonly Call[];
  /** Those that must be recorded; all of them where left out. */
  readonly mustBeRecorded?: (call: Call) => boolean;
  /** A null has to arrive. */
  readonly needsNull?: true;
  /** The service is unreachable when the calls are made. */
  readonly outage?: true;
  /** The service is away for a while, as in a restart, and nobody flushes: the SDK sends by its timer, or once it has many. */
  readonly byTimer?: true;
  /** The service takes the first request, but its answer is lost: the SDK has to send it again. */
  readonly losesAnswer?: true;
  /** No project has the key. */
  readonly wrongKey?: true;
}

/** Ids of one SDK in one scenario, so that whatever is recorded under them came from it. */
export interface Ids {
  readonly userId: string;
  readonly anonymousId: string;
}

const timestamp = '2026-01-02T03:04:05.678Z';
const later = '2026-01-02T03:04:06.789Z';

const TRAITS = { plan: 'pro', seats: 3, ratio: 0.25, active: true, address: { city: 'Zürich', tags: ['a', 'b'] } };
const PROPERTIES = { total: 12.5, currency: 'EUR', items: [{ sku: 'a-1', count: 2 }, { sku: 'b-2' }] };
const CONTEXT = { ip: '192.0.2.7', locale: 'de-CH' };

/** Longer than the 512 characters that a name of an event may have. No SDK checks that by itself. */
const TOO_LONG = 'x'.repeat(600);

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'identify',
    expected: 'kept',
    calls: ({ userId }) => [{ type: 'identify', userId, traits: TRAITS, context: CONTEXT, timestamp }],
  },
  {
    name: 'null trait',
    expected: 'kept',
    needsNull: true,
    calls: ({ userId }) => [
      { type: 'identify', userId, traits: { plan: 'pro', city: 'Paris' }, timestamp },
      { type: 'identify', userId, traits: { plan: null }, timestamp: later },
    ],
  },
  {
    name: 'track',
    expected: 'kept',
    calls: ({ userId }) => [
      { type: 'track', userId, event: 'Order Completed', properties: PROPERTIES, context: CONTEXT, timestamp },
    ],
  },
  {
    name: 'page',
    expected: 'kept',
    calls: ({ userId }) => [
      { type: 'page', userId, category: 'Docs', name: 'Pricing', properties: { path: '/pricing' }, timestamp },
    ],
  },
  {
    name: 'screen',
    expected: 'kept',
    calls: ({ userId }) => [{ type: 'screen', userId, name: 'Settings', properties: { tab: 'profile' }, timestamp }],
  },
  {
    name: 'group',
    expected: 'kept',
    calls: ({ userId }) => [{ type: 'group', userId, groupId: 'acme', traits: { industry: 'Steel' }, timestamp }],
  },
  {
    name: 'alias',
    expected: 'kept',
    calls: ({ userId }) => [{ type: 'alias', userId, previousId: 'before ada', timestamp }],
  },
  {
    name: 'anonymous only',
    expected: 'kept',
    calls: ({ anonymousId }) => [{ type: 'track', anonymousId, event: 'Looked', properties: { n: 0 }, timestamp }],
  },
  {
    name: 'both ids',
    expected: 'kept',
    calls: ({ userId, anonymousId }) => [
      { type: 'identify', userId, anonymousId, traits: { plan: 'pro' }, timestamp },
      { type: 'track', userId, anonymousId, event: 'Signed Up', properties: { n: 0 }, timestamp },
    ],
  },
  {
    name: 'flush',
    expected: 'kept',
    // More than any of them sends in one batch by itself.
    calls: ({ userId }) =>
      numbered(45, (n) => ({ type: 'track', userId, event: 'Ticked', properties: { n }, timestamp })),
  },
  {
    name: 'bad message',
    expected: 'kept',
    calls: ({ userId }) =>
      numbered(3, (n) => ({
        type: 'track',
        userId: n === 1 ? TOO_LONG : userId,
        event: 'Ticked',
        properties: { n },
        timestamp,
      })),
    mustBeRecorded: ({ userId }) => userId !== TOO_LONG,
  },
  {
    name: 'wrong key',
    expected: 'refused',
    wrongKey: true,
    calls: ({ userId }) => [{ type: 'track', userId, event: 'Ticked', properties: { n: 0 }, timestamp }],
  },
  {
    name: 'lost answer',
    expected: 'kept',
    losesAnswer: true,
    calls: ({ userId }) => [{ type: 'track', userId, event: 'Ticked', properties: { n: 0 }, timestamp }],
  },
  {
    name: 'outage',
    expected: 'kept',
    outage: true,
    calls: ({ userId }) =>
      numbered(3, (n) => ({ type: 'track', userId, event: 'Ticked', properties: { n }, timestamp })),
  },
  {
    name: 'restart',
    expected: 'kept',
    byTimer: true,
    calls: ({ userId }) =>
      numbered(45, (n) => ({ type: 'track', userId, event: 'Ticked', properties: { n }, timestamp })),
  },
];

function numbered(count: number, callOf: (n: number) => Call): readonly Call[] {
  return Array.from({ length: count }, (_, n) => callOf(n));
}
