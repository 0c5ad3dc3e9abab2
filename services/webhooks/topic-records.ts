/** What a message has, as records of the topic of changes. */
import type { AudienceChange, Micros } from '../messages/message.ts';
import { instantOf } from './audience-messages.ts';
import type { Endpoint, WaitingDelivery, WaitingNotice } from './endpoint-store.ts';
import type { ForgottenPerson } from './notices.ts';

/** @param changes JSON, as `readNextRange` has them. */
export function changeRecords(
  endpoint: Endpoint,
  { id, range }: WaitingDelivery,
  changes: readonly string[],
): readonly AudienceChange[] {
  return changes.map((text) => {
    const { change, version, cause, person, ...line } = JSON.parse(text) as ChangeLine;
    const at = instantOf(line.at);
    const audience = { id: range.audienceId, name: range.audienceName, version };
    return { ...recordWith(endpoint, id, at, line), change, audience, cause, person, traits: traitsTextIn(text) };
  });
}

export function forgottenRecords(
  endpoint: Endpoint,
  { id, createdAtMs, notice }: WaitingNotice,
): readonly AudienceChange[] {
  const { users } = JSON.parse(notice) as { readonly users: readonly ForgottenPerson[] };
  const at = BigInt(createdAtMs) * 1_000n;
  return users.map((user) => ({ ...recordWith(endpoint, id, at, user), change: 'forgotten', ...OF_NO_AUDIENCE }));
}

/** It names nobody. */
export function testRecord(endpoint: Endpoint, id: string, atMs: number): AudienceChange {
  const nobody = { user_id: null, anonymous_id: null, internal_id: '' };
  return { ...recordWith(endpoint, id, BigInt(atMs) * 1_000n, nobody), change: 'test', ...OF_NO_AUDIENCE };
}

interface ChangeLine extends ForgottenPerson {
  readonly change: 'entered' | 'left';
  readonly at: string;
  readonly version: number;
  readonly cause: string;
  readonly person: string | null;
}

const OF_NO_AUDIENCE = { audience: null, cause: null, person: null, traits: null } as const;

function recordWith(endpoint: Endpoint, deliveryId: string, at: Micros, user: ForgottenPerson) {
  return {
    // A message may have several changes of a user, of one evaluation each.
    messageId: `${deliveryId}/${at}`,
    endpointId: endpoint.id,
    projectId: endpoint.projectId ?? '',
    userKey: user.internal_id,
    userId: user.user_id,
    anonymousId: user.anonymous_id,
    at,
  };
}

const TRAITS = ',"traits":';

/** Cut out, so that numbers keep their digits. It is the last member, and a quote within a text has a backslash before it. */
function traitsTextIn(change: string): string | null {
  const start = change.indexOf(TRAITS);
  return start < 0 ? null : change.slice(start + TRAITS.length, -1);
}
