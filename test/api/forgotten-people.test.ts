/** What those are told who send or look for messages of somebody who is forgotten. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeReceipt } from '../../services/messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../services/messages/receipt/receipt-signer.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { SqlErasures } from '../../services/stores/erasures/sql-erasures.ts';
import { ADMIN_KEY, PROJECT, READ_KEY, ReadingServer } from '../support/http/reading-server.ts';
import { recordOf, track } from '../support/messages/messages.ts';

const projectId = PROJECT.id;
const keyOf = (userId: string) => userKeyOf(projectId, userId);
let reading: ReadingServer;

beforeAll(async () => {
  reading = await ReadingServer.start();
  const erasures = new SqlErasures(reading.database);
  const people = ['ada', 'zoe'].map((userId) => ({ userKey: keyOf(userId), userId, anonymousId: null }));
  await erasures.request(people, { projectId, suppress: true, actor: 'local' }, []);
  await reading.database.query('update erasures set cut_us = 100 where user_key = $1', [keyOf('zoe')]);
});
afterAll(() => reading.stop());

async function receiptOf(...sent: readonly { readonly userId: string; readonly receivedAt?: bigint }[]) {
  const records = sent.map((one) => recordOf(track({ projectId, userKey: keyOf(one.userId), ...one })));
  const appended = await reading.recorded.append(records.map((record) => ({ topic: 'tidemark.track', ...record })));
  const receipt = encodeReceipt(receiptSignerOf(PROJECT), 0, appended);
  return (await reading.request(`/v1/receipts/${receipt}`, {}, READ_KEY)).json();
}

test('a receipt says that a message was dropped, whose person is forgotten, and says it of no other', async () => {
  expect(await receiptOf({ userId: 'ada' })).toMatchObject({ dropped: true });
  expect(await receiptOf({ userId: 'ben' })).not.toHaveProperty('dropped');
  expect(await receiptOf({ userId: 'zoe', receivedAt: 100n })).toMatchObject({ dropped: true });
  expect(await receiptOf({ userId: 'zoe', receivedAt: 101n })).not.toHaveProperty('dropped');
});

test('a receipt says it of a message whose record is blank', async () => {
  const records = reading.recorded.records('tidemark.track', 7);
  records.push({ offset: 0n, appendedAtMs: 0, key: new Uint8Array(), value: new Uint8Array() });
  const at = { topic: 'tidemark.track', partition: 7, offset: 0n, appendedAtMs: 0 };
  const receipt = encodeReceipt(receiptSignerOf(PROJECT), 0, [at]);

  const answer = await reading.request(`/v1/receipts/${receipt}`, {}, READ_KEY);

  expect(await answer.json()).toMatchObject({ dropped: true });
});

test('messages that are dropped do not count as seen by who listens', async () => {
  const live = await reading.request('/v1/events/live?seconds=3', {}, READ_KEY);
  await receiptOf({ userId: 'ada' }, { userId: 'ada' }, { userId: 'ben' });

  const ticks = [...(await live.text()).matchAll(/data: (.+)\n/gu)].map(([, data]) => {
    return JSON.parse(data ?? '') as { readonly seen: number; readonly rows: readonly { readonly user_id: string }[] };
  });

  expect(ticks.reduce((sum, { seen }) => sum + seen, 0)).toBe(1);
  expect(ticks.flatMap(({ rows }) => rows.map(({ user_id: id }) => id))).toEqual(['ben']);
});

test('an admin key is told that a user was forgotten, and how that ends; a read key is not', async () => {
  const { erasures } = reading.admin.ports;
  const people = [{ userKey: keyOf('eve'), name: 'eve', isAnonymous: false }];
  const made = await erasures.request({ projectId, users: people, suppress: true, actor: 'local' });
  const id = made.erasures[0]?.id ?? '';
  const detailOf = async (key: string) => {
    const answer = await reading.request(`/v1/users/eve?project=${projectId}`, {}, key);
    expect(answer.status).toBe(404);
    return ((await answer.json()) as { readonly detail: string }).detail;
  };

  expect(await detailOf(ADMIN_KEY)).toContain(`tidemark forget lift ${id}`);
  expect(await detailOf(READ_KEY)).not.toContain('forgotten');
});
