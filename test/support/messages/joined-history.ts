/** Histories in which people come under anonymous ids too, and the same as if every message had named the user. */
import * as fc from 'fast-check';
import type { Message } from '../../../services/messages/message.ts';
import { anonymousKeyOf } from '../../../services/messages/user-key.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { USERS } from './random-history.ts';

/** Devices are fewer than users, so that some are seen with two. */
const PEOPLE = { users: USERS, devices: 20 };

/** How each message names its user: by the user id, by the anonymous id of the device, or by both. */
export const namings = fc.array(fc.constantFrom('user', 'device', 'both'), { minLength: 300, maxLength: 300 });

export function namedBy(messages: readonly Message[], names: readonly string[], people = PEOPLE): readonly Message[] {
  return messages.map((message, index) => named(message, names[index] ?? 'user', people));
}

function named(message: Message, how: string, { users, devices }: typeof PEOPLE): Message {
  const { projectId, userId } = message;
  const user = users.indexOf(userId ?? '');
  if (how === 'user' || user === -1) return message;
  const anonymousId = `dev-${user % devices}`;
  if (how === 'both') return { ...message, anonymousId };
  const userKey = anonymousKeyOf(projectId, anonymousId);
  return { ...message, userId: null, anonymousId, userKey, messageId: `${message.messageId} of ${anonymousId}` };
}

/** Keeps whose the anonymous ids of these messages are, once they are inserted. */
export async function keepJoined(store: AnalyticsStore, messages: readonly Message[]): Promise<void> {
  const projectId = messages[0]?.projectId ?? '';
  const ids = new Set(messages.flatMap(({ anonymousId }) => anonymousId ?? []));
  const anonymous = [...ids].map((id) => userNumber(anonymousKeyOf(projectId, id)));
  if (anonymous.length > 0) await store.keepJoins({ projectId, anonymous }, 1n);
}

/** As if the messages of joined ids had named the user, and had set their traits before the user's own messages did. */
export function rewritten(messages: readonly Message[]): readonly Message[] {
  const seen = new Map<string, Map<string, Message>>();
  for (const message of messages) {
    const { userId, anonymousId, userKey } = message;
    if (userId === null || anonymousId === null) continue;
    seen.set(anonymousId, (seen.get(anonymousId) ?? new Map<string, Message>()).set(userKey, message));
  }
  return messages.map((message) => {
    const { userId, anonymousId, version } = message;
    const [owner, other] = userId === null ? (seen.get(anonymousId ?? '') ?? new Map<string, Message>()).values() : [];
    if (owner === undefined || other !== undefined) return { ...message, version: `1${version}` };
    return { ...message, userId: owner.userId, userKey: owner.userKey, version: `0${version}` };
  });
}
