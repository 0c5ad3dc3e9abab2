import { expect, test } from 'vitest';
import { UsersSeen } from '../../../services/consumers/sink/users-seen.ts';
import type { Message } from '../../../services/messages/message.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';

const make = new MessageMaker();

function seenIn(...messages: Message[]): UsersSeen {
  const seen = new UsersSeen();
  for (const message of messages) seen.see(message);
  return seen;
}

const several = (): UsersSeen[] => [
  seenIn(make.track({ userId: 'ada', timestamp: 5n }), make.track({ userId: 'bob', timestamp: 7n })),
  seenIn(make.identify({ userId: 'ada', timestamp: 9n }), make.identify({ userId: 'eve', timestamp: 1n })),
  seenIn(make.track({ userId: 'ada', timestamp: 3n }), make.track({ userId: 'eve', timestamp: 2n })),
];

function valuesOf(seen: UsersSeen): unknown[] {
  return Array.from(seen.users(), ({ userId, firstSeen, lastSeen }) => [userId, firstSeen, lastSeen]);
}

test('several messages become one user each', async () => {
  const merged = await UsersSeen.merge(several());

  expect(valuesOf(merged)).toEqual([
    ['ada', 3n, 9n],
    ['bob', 7n, 7n],
    ['eve', 1n, 2n],
  ]);
});

test('merged again, for an insert that is repeated, they give the same users', async () => {
  const seen = several();
  const first = valuesOf(await UsersSeen.merge(seen));

  expect(valuesOf(await UsersSeen.merge(seen))).toEqual(first);
});

test('nothing merged has no users', async () => {
  expect(valuesOf(await UsersSeen.merge([]))).toEqual([]);
});
