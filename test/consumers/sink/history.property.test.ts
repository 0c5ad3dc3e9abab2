import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import type { Message } from '../../../services/messages/message.ts';
import { versionOf } from '../../../services/messages/version.ts';
import { identify, session, track } from '../../support/messages/messages.ts';
import { ask, insert } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

/** What a caller sends, without the place in the log. */
interface Said {
  readonly user: string;
  readonly seconds: number;
  readonly content:
    | { readonly type: 'track'; readonly event: string }
    | { readonly type: 'identify'; readonly traits: Readonly<Record<string, unknown>> }
    | { readonly type: 'session'; readonly anonymous: boolean; readonly traits: Readonly<Record<string, unknown>> };
}

const traits = fc.dictionary(
  fc.constantFrom('plan', 'age', 'address'),
  fc.constantFrom(null, 1, 2.5, 'pro', [1], { city: null }),
);
const said: fc.Arbitrary<Said> = fc.record({
  user: fc.constantFrom('ada', 'ben', 'cleo'),
  seconds: fc.integer({ min: -5, max: 20 }),
  content: fc.oneof(
    fc.record({ type: fc.constant('track' as const), event: fc.constantFrom('A', 'B') }),
    fc.record({ type: fc.constant('identify' as const), traits }),
    fc.record({ type: fc.constant('session' as const), anonymous: fc.boolean(), traits }),
  ),
});

/** A history; the order, with repeats, in which its messages are inserted; and where that is split into inserts. */
const history = fc.array(said, { minLength: 1, maxLength: 25 }).chain((all) =>
  fc.record({
    all: fc.constant(all),
    order: fc
      .tuple(
        fc.shuffledSubarray([...all.keys()], { minLength: all.length }),
        fc.array(fc.nat(all.length - 1), { maxLength: 15 }),
      )
      .map(([every, again]) => [...every, ...again]),
    sizes: fc.infiniteStream(fc.integer({ min: 1, max: 10 })),
  }),
);

function messageOf({ user, seconds, content }: Said, projectId: string, index: number): Message {
  const timestamp = BigInt(seconds) * 1_000_000n;
  const receivedAt = 10_000_000n + BigInt(index);
  const envelope = {
    projectId,
    messageId: `m${index}`,
    messageIdGiven: true,
    userId: user,
    timestamp,
    receivedAt,
    version: versionOf(timestamp, receivedAt, 7),
  };
  switch (content.type) {
    case 'track':
      return track({ ...envelope, event: content.event });
    case 'identify':
      return identify({ ...envelope, traits: JSON.stringify(content.traits) });
    case 'session':
      return session({ ...envelope, anonymous: content.anonymous, traits: JSON.stringify(content.traits) });
    default:
      throw new Error('no such type');
  }
}

/** The naive reading: all messages in the order of their versions, one after another. */
function modelOf(messages: readonly Message[]): unknown[] {
  const users = new Map<
    string,
    { events: number; anonymous: boolean | null; traits: Record<string, unknown>; times: bigint[] }
  >();
  for (const message of messages.toSorted((a, b) => (a.version < b.version ? -1 : 1))) {
    const name = message.userId ?? '';
    const user = users.get(name) ?? { events: 0, anonymous: null, traits: {}, times: [] };
    users.set(name, user);
    user.times.push(message.timestamp);
    if (message.type === 'track') user.events++;
    else Object.assign(user.traits, JSON.parse(message.traits));
    if (message.type === 'session') user.anonymous = message.anonymous;
  }
  return [...users]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([user_id, { events, anonymous, traits, times }]) => ({
      user_id,
      events: String(events),
      anonymous,
      traits: Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null)),
      first: String(times.reduce((a, b) => (b < a ? b : a))),
      last: String(times.reduce((a, b) => (b > a ? b : a))),
    }));
}

async function readingOf(store: AnalyticsStore, projectId: string): Promise<unknown[]> {
  const rows = await ask<{ traits: string }>(
    store,
    `SELECT user_id, counted.n AS events, anonymous, traits, toUnixTimestamp64Micro(first_seen) AS first,
            toUnixTimestamp64Micro(last_seen) AS last
     FROM profiles
     LEFT JOIN (SELECT user, count() AS n FROM events WHERE project_id = {p:String} GROUP BY user) AS counted USING user
     WHERE project_id = {p:String} ORDER BY user_id`,
    { p: projectId },
  );
  return rows.map((row) => ({ ...row, traits: JSON.parse(row.traits) as unknown }));
}

describe.each(await testedAnalytics())('$name', (tested) => {
  const store = sharedStore(tested);

  test('any order, repetition and split of a history reads the same', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ all, order, sizes }) => {
        const projectId = randomUUID();
        const messages = all.map((one, index) => messageOf(one, projectId, index));

        for (let rest = order; rest.length > 0;) {
          const size = Number(sizes.next().value);
          await insert(
            store(),
            rest.slice(0, size).map((index) => messages[index]!),
          );
          rest = rest.slice(size);
        }

        expect(await readingOf(store(), projectId)).toEqual(modelOf(messages));
      }),
      { numRuns: Math.ceil(25 * tested.share) },
    );
  }, 180_000);
});
