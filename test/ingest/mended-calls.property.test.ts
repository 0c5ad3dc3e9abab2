/**
 * No SDK reads the body of a 200, so what is left out there is lost. One member of a valid call is broken, at any depth: the
 * user, the event and every other member must be recorded all the same, and what was done to the broken one is named.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeBody } from '../../services/ingest/record-encoder.ts';
import type { BodySource, JobFacts } from '../../services/ingest/encode-job.ts';
import type { Identify, Problem, Track } from '../../services/messages/message.ts';
import { codec } from '../support/messages/messages.ts';

type Members = Record<string, unknown>;
type Step = string | number;

const ARRIVED_AT = 1_795_132_800_000_000n;

const leaf = fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean());
// A property `name` could not be told from the name of the call, see `partsOf`.
const key = fc.stringMatching(/^[a-z]{1,4}$/).filter((drawn) => drawn !== 'name');
const map = fc.dictionary(
  key,
  fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(key, leaf, { maxKeys: 3 })),
  { maxKeys: 4 },
);
const time = fc.constantFrom('2026-11-19T10:15:00.123Z', '2026-11-18', '2026-11-17T10:15:00+02:00');

/** Valid calls. With two ids, one of which may be broken. */
const anyCall = fc
  .record({
    type: fc.constantFrom('identify', 'track', 'page', 'screen', 'group', 'alias'),
    userId: fc.constant('ada'),
    messageId: fc.constant('m-1'),
    anonymousId: fc.option(fc.constant('anon'), { nil: undefined }),
    timestamp: fc.option(time, { nil: undefined }),
    originalTimestamp: fc.option(time, { nil: undefined }),
    sentAt: fc.option(fc.constant('2026-11-21T00:00:00Z'), { nil: undefined }),
    context: fc.option(map, { nil: undefined }),
    integrations: fc.option(map, { nil: undefined }),
    content: map,
    name: fc.option(leaf, { nil: undefined }),
  })
  .map(({ type, content, name, ...call }): Members => {
    if (type === 'identify') return { type, ...call, traits: content };
    if (type === 'track') return { type, ...call, event: 'Paid', properties: content };
    return { type, ...call, name, properties: content, ...(type === 'group' && { traits: content, groupId: 'acme' }) };
  })
  .map((call): Members => Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined)));

const UNACCEPTABLE = ['a\0b', '\ud800', JSON.rawJSON('1e5000'), JSON.rawJSON(`1${'0'.repeat(1_000)}1`), nested(70)];
const ODD = [null, true, 5, 1.5, '', 'x', [], [1], {}, { a: 1 }, 'x'.repeat(600), 1_700_000_000, '1700000000123'];
const ODD_TEXTS = ['0001-01-01T00:00:00Z', '2021-10-16T16:00:27.029:Z', '2021-10-16 16:00:27', 'Track', 'yesterday'];
const anyValue = fc.constantFrom<unknown>(...ODD, ...ODD_TEXTS, ...UNACCEPTABLE);

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

/** Every member of a value, by its steps. */
function placesIn(value: unknown, place: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const steps = [...place, Array.isArray(value) ? Number(name) : name];
    return [steps, ...placesIn(member, steps)];
  });
}

function replaced(value: unknown, [step, ...rest]: readonly Step[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy = structuredClone(value) as Members;
  copy[step] = rest.length === 0 ? by : replaced(copy[step], rest, by);
  return copy;
}

const facts: JobFacts = {
  projectId: 'proj_1',
  timezone: 'UTC',
  source: 'batch',
  isLenient: false,
  processBits: 0,
  signer: { projectId: 'proj_1', secret: new Uint8Array(32) } as unknown as JobFacts['signer'],
  sessionSecret: new Uint8Array(),
};

/** What is recorded of a call sent alone or between others; undefined where it is refused. */
function recorded(call: unknown, isBatch: boolean): (Identify | Track) | undefined {
  const other = { type: 'track', userId: 'bob', event: 'Other' };
  const source = isBatch ? 'batch' : ((call as Members)['type'] as BodySource);
  const text = JSON.stringify(isBatch ? { batch: [other, call, other] } : call);
  const body = { firstId: '01a1fe7a-7745-73bd-9d43-12c60d439066', idempotencyKey: '', text };
  const receivedAt = (): bigint => ARRIVED_AT;
  const encoded = encodeBody({ ...facts, source }, { ...body, receivedAt, arrivedAt: ARRIVED_AT }, codec);
  if (!encoded.ok) return undefined;
  const messages = encoded.records.map(({ topic, value }) => codec.decode(topic, value) as Identify | Track);
  const [first, last] = [messages.at(0), messages.at(-1)];
  if (!isBatch) return first;
  expect([first, last].map((each) => each?.userId)).toEqual(['bob', 'bob']);
  return messages.length === 3 ? messages[1] : undefined;
}

/** The parts of a record that come of different members of the call. */
function partsOf(message: Identify | Track): Members {
  const { userId, anonymousId, messageId, timestamp, originalTimestamp } = message;
  const said = { userId, anonymousId, messageId, time: [timestamp, originalTimestamp] };
  if (message.type === 'identify') {
    return { ...said, traits: JSON.parse(message.traits), context: JSON.parse(message.context ?? '{}') };
  }
  const { context, name, traits, groupId, ...properties } = JSON.parse(message.properties) as Members;
  return { ...said, event: message.event, properties, context, name, traits, groupId };
}

const TIMES: readonly Step[] = ['timestamp', 'originalTimestamp', 'sentAt'];

/** The parts without what the member at `place` says. */
function without(parts: Members, place: readonly Step[]): unknown {
  const [first = ''] = place;
  const name = TIMES.includes(first) ? 'time' : first;
  // An object with a broken key has another in its place.
  return Object.hasOwn(parts, name)
    ? replaced(parts, [name, ...(name === 'time' ? [] : place.slice(1))], 'broken')
    : parts;
}

/** Whether nobody did it or nothing was done. */
function isUnusable(call: Members, [member]: readonly Step[], value: unknown): boolean {
  const hasOther = call['anonymousId'] !== undefined;
  if (member === 'userId')
    return (
      !hasOther &&
      !(isText(value, 512) || typeof value === 'number' || (JSON.isRawJSON(value) && value.rawJSON.length <= 512))
    );
  if (member === 'event')
    return (
      !(typeof value === 'string' && value !== '') &&
      !['number', 'boolean'].includes(typeof value) &&
      !JSON.isRawJSON(value)
    );
  return member === 'type' && !(value === 'Track' && Object.hasOwn(call, 'event'));
}

function isText(value: unknown, atMost: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= atMost;
}

test.each([false, true])(
  'a call of an SDK with one broken member is recorded with all others, in a batch: %o',
  (isBatch) => {
    const anyBroken = anyCall.chain((call) =>
      fc.record({ call: fc.constant(call), place: fc.constantFrom(...placesIn(call)), value: anyValue }),
    );

    fc.assert(
      fc.property(anyBroken, ({ call, place, value }) => {
        fc.pre(isBatch || place[0] !== 'type');
        const whole = recorded(call, isBatch);
        const message = recorded(replaced(call, place, value), isBatch);

        expect(message === undefined).toBe(place.length === 1 && isUnusable(call, place, value));
        if (message === undefined || whole === undefined || place[0] === 'type') return;
        const isOther = place[0] === 'userId' && message.userId === null;
        expect([message.type, isOther ? 'anon' : message.userId === null]).toEqual([
          whole.type,
          isOther ? 'anon' : false,
        ]);
        expect(without(partsOf(message), place)).toEqual(without(partsOf(whole), place));
      }),
      { numRuns: 400 },
    );
  },
);

test('what was done to a broken member is named by its pointer', () => {
  const named = fc.constantFrom<readonly [string, unknown]>(
    ...['properties', 'context'].map((member) => [member, []] as const),
    ['properties', 'x'],
    ['messageId', 5],
    ['messageId', 'x'.repeat(129)],
    ['messageId', {}],
    ['timestamp', ''],
    ['timestamp', 'yesterday'],
    ['timestamp', 1_700_000_000],
    ['event', 5],
    ['anonymousId', true],
    ['type', 'Track'],
    ...UNACCEPTABLE.map((value) => ['event', value] as const).slice(0, 3),
  );

  fc.assert(
    fc.property(named, ([member, value]) => {
      const call = { type: 'track', userId: 'ada', event: 'Paid', messageId: 'm', [member]: value };
      const message = recorded(call, true);

      const adjusted = JSON.parse(message?.adjusted ?? '[]') as readonly Problem[];
      expect(adjusted.map(({ path }) => path)).toContain(`/${member}`);
    }),
  );
});
