import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../services/messages/message.ts';
import { anonymousKeyOf } from '../../services/messages/user-key.ts';
import { previewAudience } from '../../services/questions/audiences.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import { compileMembership } from '../../services/questions/sql/compile-members.ts';
import type { AnalyticsStore } from '../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../services/stores/analytics/columns.ts';
import { audienceOf } from '../support/messages/naive-audience.ts';
import {
  historyAndDefinitions,
  messagesOf,
  NOW,
  readIn,
  userIdsOf,
  USERS,
} from '../support/messages/random-history.ts';
import { propertyRun } from '../support/property-run.ts';
import { AMPLE, insert } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

/** Fewer than users, so that some are seen with two. */
const DEVICES = 20;

/** How a message names its user: by the user id, by the anonymous id of the device, or by both. */
const naming = fc.constantFrom('user', 'device', 'both');

describe.each(await testedAnalytics())('persons in $name', (tested) => {
  const store = sharedStore(tested);

  test('an audience with joined ids has the users of the same history with the user ids in their place', async () => {
    const namings = fc.array(naming, { minLength: 300, maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(40), namings, async ([past, definitions], names) => {
        const messages = messagesOf(past).map((message, index) => named(message, names[index] ?? 'user'));
        await insertJoined(store(), messages);
        const rewritten = rewrite(messages);
        for (const text of definitions) await expectPersons(text, messages, rewritten);
      }),
      propertyRun(10 * tested.share),
    );
  }, 240_000);

  async function expectPersons(text: string, messages: readonly Message[], rewritten: readonly Message[]) {
    const read = readIn(text);
    if (!read.ok) return;
    const users = audienceOf(read.definition, rewritten, NOW);
    const options = { projectId: messages[0]?.projectId ?? '', now: NOW, joins: true };

    const found = await previewAudience(new QueryBudget(store(), AMPLE), read.definition, {
      ...options,
      sampleSize: 1000,
    });
    const membership = await store().ask(compileMembership(read.definition, options), AMPLE);

    const sample = userIdsOf(users, rewritten);
    expect({ text, count: found.count, sample: found.sample }).toEqual({ text, count: users.size, sample });
    const members = membership.rows.filter((row) => row['is_in'] === true).map((row) => row['internal_id']);
    expect(members.toSorted()).toEqual([...users].toSorted());
  }
});

function named(message: Message, how: string): Message {
  const { projectId, userId } = message;
  const user = USERS.indexOf(userId ?? '');
  if (how === 'user' || user === -1) return message;
  const anonymousId = `dev-${user % DEVICES}`;
  if (how === 'both') return { ...message, anonymousId };
  const userKey = anonymousKeyOf(projectId, anonymousId);
  return { ...message, userId: null, anonymousId, userKey, messageId: `${message.messageId} of ${anonymousId}` };
}

async function insertJoined(store: AnalyticsStore, messages: readonly Message[]): Promise<void> {
  await insert(store, messages);
  const projectId = messages[0]?.projectId ?? '';
  const ids = new Set(messages.flatMap(({ anonymousId }) => anonymousId ?? []));
  const anonymous = [...ids].map((id) => userNumber(anonymousKeyOf(projectId, id)));
  if (anonymous.length > 0) await store.keepJoins({ projectId, anonymous }, 1n);
}

/** As if the messages of joined ids had named the user, and had set their traits before the user's own messages did. */
function rewrite(messages: readonly Message[]): readonly Message[] {
  const owners = new Map<string, Set<Message>>();
  for (const message of messages) {
    const { userId, anonymousId } = message;
    if (userId === null || anonymousId === null) continue;
    owners.set(anonymousId, (owners.get(anonymousId) ?? new Set<Message>()).add(message));
  }
  return messages.map((message) => {
    const seen = [...(owners.get(message.anonymousId ?? '') ?? [])];
    const isSole = new Set(seen.map(({ userKey }) => userKey)).size === 1;
    const [owner] = seen;
    if (message.userId !== null || message.anonymousId === null || !isSole || owner === undefined)
      return { ...message, version: `1${message.version}` };
    return { ...message, userId: owner.userId, userKey: owner.userKey, version: `0${message.version}` };
  });
}
