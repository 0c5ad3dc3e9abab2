import { randomUUID } from 'node:crypto';
import { hourOf } from '../../messages/hour.ts';
import type { ProfileChange } from './profile.ts';
import type { AppliedCount, Claim } from './profile-store.ts';

/**
 * What two messages say that nobody sent, of a user whom nobody else has: the second changes what the first has written.
 * For a transaction that is rolled back.
 */
export function madeUp(): {
  readonly claim: Claim;
  readonly changes: readonly ProfileChange[];
  readonly count: AppliedCount;
} {
  const name = randomUUID();
  const who = { projectId: `probe-${name}`, userKey: name };
  const place = { topic: `probe-${name}`, partition: 0 };
  const changes = [1n, 2n].map((at) => {
    const version = at.toString(16).padStart(32, '0');
    const traits = new Map([['probe', { value: String(at), version }]]);
    const anonymous = { value: false, version };
    return { ...who, userId: name, anonymousId: null, firstSeen: 1n, lastSeen: at, anonymous, traits };
  });
  return {
    claim: { ...who, ...place, messageId: name, offset: 0n },
    changes,
    count: { ...place, projectId: who.projectId, hour: hourOf(0n), messages: 1, repeats: 0 },
  };
}
