import { expect, test } from 'vitest';
import type { Endpoint } from '../../services/webhooks/endpoint-store.ts';
import { changeRecords } from '../../services/webhooks/topic-records.ts';

const ENDPOINT = { id: 'end_1', projectId: 'proj_1' } as Endpoint;
const POSITION = { isInitial: false, at: 0n, afterUser: null };
const RANGE = { audienceId: 'aud_1', audienceName: 'Pro', from: POSITION, to: POSITION, changes: 2 };
const DELIVERY = { id: 'msg_1', createdAtMs: 7, range: RANGE };

function lineOf(userId: string, at: string, more = ''): string {
  const user = `"user_id":${JSON.stringify(userId)},"anonymous_id":null,"internal_id":"ab"`;
  return `{${user},"change":"entered","at":"${at}","version":2,"cause":"refresh"${more}}`;
}

test.each([['{"n":12345678901234567890.10,"s":"}"}'], ['{"traits":{"traits":1}}'], ['{}']])(
  'traits are cut out of a change with every digit: %s',
  (traits) => {
    const text = lineOf('a,"traits":{"x":1}', '2026-11-20T00:00:00.000001Z', `,"traits":${traits}`);

    const [record] = changeRecords(ENDPOINT, DELIVERY, [text]);

    expect(record).toMatchObject({ userId: 'a,"traits":{"x":1}', traits });
  },
);

test('two changes of a user in one message have ids of their own, and without traits there are none', () => {
  const lines = ['2026-11-20T00:00:00.000001Z', '2026-11-20T00:00:00.000002Z'].map((at) => lineOf('ada', at));

  const records = changeRecords(ENDPOINT, DELIVERY, lines);

  expect(records.map(({ messageId }) => messageId)).toEqual(['msg_1/1795132800000001', 'msg_1/1795132800000002']);
  expect(records.map(({ traits }) => traits)).toEqual([null, null]);
});
