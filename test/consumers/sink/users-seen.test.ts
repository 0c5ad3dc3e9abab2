import { expect, test } from 'vitest';
import type { Row } from '../../../services/consumers/sink/row.ts';
import { UsersSeen } from '../../../services/consumers/sink/users-seen.ts';
import type { Message } from '../../../services/messages/message.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { MessageMaker } from '../../support/analytics.ts';

const make = new MessageMaker();

function seenIn(...messages: Message[]): UsersSeen {
  const seen = new UsersSeen();
  for (const message of messages) seen.see(message, userNumber(message.userKey));
  return seen;
}

const several = (): UsersSeen[] => [
  seenIn(make.track({ userId: 'ada', timestamp: 5n }), make.track({ userId: 'bob', timestamp: 7n })),
  seenIn(make.identify({ userId: 'ada', timestamp: 9n }), make.identify({ userId: 'eve', timestamp: 1n })),
  seenIn(make.track({ userId: 'ada', timestamp: 3n }), make.track({ userId: 'eve', timestamp: 2n })),
];

/** The user of each row, when first and when last seen. */
function valuesOf(rows: Iterable<Row>): unknown[] {
  return [...rows].map(([, line]) => (JSON.parse(line) as unknown[]).filter((_, column) => [3, 5, 6].includes(column)));
}

test('several messages become one row for each user', async () => {
  const merged = await UsersSeen.merge(several());

  expect(valuesOf(merged.rows())).toEqual([
    ['ada', 3, 9],
    ['bob', 7, 7],
    ['eve', 1, 2],
  ]);
});

test('merged again, for an insert that is repeated, they give the same rows', async () => {
  const seen = several();
  const first = [...(await UsersSeen.merge(seen)).rows()];

  expect([...(await UsersSeen.merge(seen)).rows()]).toEqual(first);
});

test('nothing merged has no rows', async () => {
  expect([...(await UsersSeen.merge([])).rows()]).toEqual([]);
});
