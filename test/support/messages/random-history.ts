import * as fc from 'fast-check';
import { parseBody } from '../../../services/messages/json.ts';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { type ReadDefinition, readDefinition } from '../../../services/questions/definition/definition.ts';
import type { AnalyticsWriter } from '../../../services/stores/analytics/analytics-store.ts';
import { insert, MessageMaker } from '../stores/analytics.ts';
import { AGES, definitionAbout, EVENTS, object, spotsIn } from './random-audience.ts';

/** When random histories are asked about. */
export const NOW_MS = Date.UTC(2026, 10, 20, 12);
export const NOW = BigInt(NOW_MS) * 1000n;
export const USERS = ["o'{p0:String}", ...Array.from({ length: 29 }, (_, index) => `user ${index}`)];

const said = fc.record({
  user: fc.constantFrom(...USERS),
  /** Only the internal id is given. */
  isNameless: fc.boolean(),
  age: fc.constantFrom(...AGES),
  body: object,
});
const tracked = fc.record({
  type: fc.constant('track' as const),
  said,
  event: fc.constantFrom(...EVENTS),
  // Few, so that there are repeats; a repeat has the timestamp of its id unless it moves to another.
  id: fc.nat(5),
  movesTo: fc.option(fc.constantFrom(...AGES), { freq: 5, nil: null }),
});
const identified = fc.record({ type: fc.constant('identify' as const), said });
const happened = fc.oneof({ weight: 2, arbitrary: tracked }, { weight: 1, arbitrary: identified });

const history = fc.record({
  said: fc.array(happened, { minLength: 200, maxLength: 300, size: 'max' }),
  /** In how many inserts, and which is done twice. */
  chunks: fc.integer({ min: 1, max: 3 }),
  again: fc.nat(2),
});

export type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** A history, and at most `maxDefinitions` definitions about what is in it. */
export function historyAndDefinitions(maxDefinitions: number): fc.Arbitrary<[History, string[]]> {
  return fc.noShrink(history).chain((past) => {
    const spots = past.said.flatMap(({ said: { body } }) => spotsIn(exactly(body) as object));
    const definitions = fc.array(definitionAbout(spots), {
      minLength: 1,
      maxLength: maxDefinitions,
      size: 'max',
    });
    return fc.tuple(fc.constant(past), definitions);
  });
}

/** Its messages, in the order of the log. */
export function messagesOf(past: Pick<History, 'said'>): readonly Message[] {
  const make = new MessageMaker();
  return past.said.map((one) => messageOf(make, one));
}

/** Puts it into analytics: the last first, since the order of inserts must not matter. Returns the messages in order. */
export async function insertHistory(store: AnalyticsWriter, past: History): Promise<readonly Message[]> {
  const messages = messagesOf(past);
  const size = Math.ceil(messages.length / past.chunks);
  const starts = Array.from({ length: past.chunks }, (_, index) => index * size);
  for (const start of [...starts.toReversed(), starts[past.again] ?? 0]) {
    await insert(store, messages.slice(start, start + size), BigInt(start));
  }
  return messages;
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia'];

/** The saved audiences to which random definitions refer. */
export const AUDIENCES = new Map([
  [
    'other',
    {
      name: 'Other',
      definition: exactly(
        '{"all":[{"event":"Bought","count":{"at_most":2}},{"not":{"audience":"inner"}},{"trait":"a","exists":true}]}',
      ),
    },
  ],
  ['inner', { name: 'Inner', definition: exactly('{"event":{"any":true},"within":{"last":"24h"}}') }],
]);

/** Reads a definition in a time zone that follows from its text. */
export function readIn(text: string): ReadDefinition {
  const timezone = ZONES[text.length % ZONES.length] ?? 'UTC';
  return readDefinition(exactly(text), { timezone, audiences: AUDIENCES });
}

/** JSON as a body is read, digit for digit. */
export function exactly(text: string): unknown {
  const body = parseBody(text);
  return body.ok ? body.value.exact : undefined;
}

/** The ids of those of these users whom some message names by one, sorted. */
export function userIdsOf(users: ReadonlySet<string>, messages: readonly Message[]): string[] {
  const named = messages.filter(({ userKey, userId }) => users.has(userKey) && userId !== null);
  return [...new Set(named.map(({ userId }) => userId ?? ''))].toSorted((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
}

function messageOf(make: MessageMaker, one: History['said'][number]): Message {
  const { user, isNameless, age, body } = one.said;
  const who = { userId: isNameless ? null : user, userKey: userKeyOf(make.projectId, user) };
  if (one.type === 'identify') return make.identify({ ...who, traits: body, timestamp: NOW - age });
  const timestamp = NOW - (one.movesTo ?? AGES[one.id % AGES.length]!);
  return make.track({ ...who, event: one.event, properties: body, messageId: `m${one.id}`, timestamp });
}
