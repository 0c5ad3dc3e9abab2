import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Appended } from '../../../services/event-log/event-log.ts';
import { encodeReceipt } from '../../../services/messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../../services/messages/receipt/receipt-signer.ts';
import { OTHER_PROJECT, OTHER_READ_KEY, PROJECT, ReadingServer, WRITE_KEY } from '../../support/http/reading-server.ts';
import { headOf, leb, unsignedReceipt } from '../../support/http/receipts.ts';

const ACCEPTED_AT_MS = Date.UTC(2026, 10, 20, 10, 15);
const TOPIC = 'tidemark.track';

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
});

afterEach(() => server.stop());

const ENDS = [
  { topic: TOPIC, partition: 0, offset: 5n },
  { topic: TOPIC, partition: 1, offset: 3n },
];
const thief = { id: PROJECT.id, sessionSecret: OTHER_PROJECT.sessionSecret };

function placeOf(partition: number, offset: bigint): Appended {
  return { topic: TOPIC, partition, offset, appendedAtMs: ACCEPTED_AT_MS };
}

/** @param places Positions on `tidemark.track`, whose index is 1. */
function unsigned(places: readonly number[]): string {
  return unsignedReceipt([...headOf(1, PROJECT.id, ACCEPTED_AT_MS), ...places]);
}

function receiptOf(offsets: Readonly<Record<number, bigint>>, acceptedAtMs = ACCEPTED_AT_MS): string {
  const places = Object.entries(offsets).map(([partition, offset]) => placeOf(Number(partition), offset));
  return encodeReceipt(receiptSignerOf(PROJECT), acceptedAtMs, places);
}

async function get(path: string, key?: string): Promise<{ status: number; body: unknown }> {
  const response = await server.request(path, {}, key);
  return { status: response.status, body: await response.json() };
}

function looked(times: number): Promise<unknown> {
  return vi.waitUntil(() => server.progress.calls >= times, { interval: 1, timeout: 20_000 });
}

test('a receipt says when the request was accepted and which readers have passed its messages', async () => {
  server.progress.move('both', TOPIC, 0, 5n);
  server.progress.move('projector', TOPIC, 1, 9n);
  server.progress.move('sink', TOPIC, 1, 8n);

  expect(await get(`/v1/receipts/${receiptOf({ 0: 4n, 1: 8n })}`)).toEqual({
    status: 200,
    body: { accepted_at: '2026-11-20T10:15:00.000000Z', projected: true, queryable: false },
  });
  expect(await get(`/v1/receipts/${receiptOf({ 0: 5n })}`)).toMatchObject({
    body: { projected: false, queryable: false },
  });
});

test('a key of either scope may ask; a receipt of another project is not found', async () => {
  const path = `/v1/receipts/${receiptOf({ 0: 0n })}`;

  expect(await get(path, WRITE_KEY)).toMatchObject({ status: 200 });
  expect(await get(path, OTHER_READ_KEY)).toMatchObject({ status: 404 });
  expect(await get(path, 'made-up')).toMatchObject({ status: 401 });
});

test.each(['x', 'null', 'AAAA', '%00', '%2F', '%', 'a.b'])('the invalid receipt %s is a bad request', async (text) => {
  expect(await get(`/v1/receipts/${text}`)).toMatchObject({ status: 400 });
});

test.each([
  ['with the secret of another', encodeReceipt(receiptSignerOf(thief), ACCEPTED_AT_MS, [placeOf(0, 4n)])],
  ['for a place past the end', unsigned([1, 1, 0, 6])],
  ['for a place far past the end', unsigned([1, 1, 0, ...leb(2 ** 53 - 1)])],
  ['for a partition that there is not', unsigned([1, 1, 2, 1])],
  ['for a topic past its end', unsigned([1, 0, 6])],
  ['for one place that can be and one that cannot', unsigned([1, 2, 0, 5, 1, 4])],
  ['for a place twice', unsigned([1, 2, 0, 5, 0, 5])],
])('a receipt made up %s is a bad request before anything waits', async (_, receipt) => {
  server.ends = ENDS;

  expect(await get(`/v1/receipts/${receipt}?wait=30`)).toMatchObject({ status: 400 });
  expect(server.progress.calls).toBe(0);
});

test.each([
  ['one place', 'ARlwcm9qXzAwMDAwMDAwMDAwMDAwMDAwMDAxoJHPw580AQEABVQe-Uc', [5n, 0n]],
  ['a whole topic', 'ARlwcm9qXzAwMDAwMDAwMDAwMDAwMDAwMDAxoJHPw580AQBknACK1Q', [100n, 3n]],
])('a receipt of before they were signed is still answered, of %s', async (_, receipt, [first, second]) => {
  server.ends = [{ topic: TOPIC, partition: 0, offset: 5_000n }, ENDS[1]!];
  server.progress.move('both', TOPIC, 0, first! - 1n);
  server.progress.move('both', TOPIC, 1, second!);
  expect(await get(`/v1/receipts/${receipt}`)).toMatchObject({ status: 200, body: { projected: false } });

  server.progress.move('both', TOPIC, 0, first!);

  expect(await get(`/v1/receipts/${receipt}`)).toEqual({
    status: 200,
    body: { accepted_at: '2026-11-20T10:15:00.000000Z', projected: true, queryable: true },
  });
});

test('a receipt of a log that was replaced by a shorter one says false until it is as long again', async () => {
  server.ends = ENDS;
  server.progress.move('both', TOPIC, 0, 5n);
  const path = `/v1/receipts/${receiptOf({ 0: 9n })}`;

  expect(await get(`${path}?wait=0.01`)).toMatchObject({ status: 200, body: { projected: false, queryable: false } });
  server.progress.move('both', TOPIC, 0, 10n);
  expect(await get(path)).toMatchObject({ status: 200, body: { projected: true, queryable: true } });
});

test('a project has at most half of the receipts that wait; others, and who does not wait, are answered', async () => {
  const receipt = receiptOf({ 0: 4n });
  const waiting = [get(`/v1/receipts/${receipt}?wait=30`), get(`/v1/receipts/${receiptOf({ 1: 4n })}?wait=30`)];
  await vi.waitUntil(() => server.watch.waiting === 2, { interval: 1, timeout: 20_000 });
  const others = encodeReceipt(receiptSignerOf(OTHER_PROJECT), ACCEPTED_AT_MS, [placeOf(0, 4n)]);

  expect(await get(`/v1/receipts/${receipt}?wait=0.001`)).toMatchObject({ status: 429 });
  expect(await get(`/v1/receipts/x?wait=30`)).toMatchObject({ status: 400 });
  expect(await get(`/v1/receipts/${receipt}?wait=0`)).toMatchObject({ status: 200 });
  expect(await get(`/v1/receipts/${others}?wait=0.001`, OTHER_READ_KEY)).toMatchObject({ status: 200 });
  server.progress.move('both', TOPIC, 0, 5n);
  expect(await waiting[0]).toMatchObject({ status: 200 });
  await vi.waitUntil(async () => (await get(`/v1/receipts/${receipt}?wait=1`)).status === 200);
});

test('a receipt cut, or altered in one place, is a bad request', async () => {
  const receipt = receiptOf({ 0: 4n });
  const altered = receipt.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

  expect(await get(`/v1/receipts/${receipt.slice(0, -4)}`)).toMatchObject({ status: 400 });
  expect(await get(`/v1/receipts/${altered}`)).toMatchObject({ status: 400 });
  expect(await get(`/v1/receipts/${receiptOf({ 0: 4n }, 8e15)}`)).toMatchObject({ status: 400 });
});

test('a request with wait is answered when both readers have passed', async () => {
  server.progress.move('projector', TOPIC, 0, 5n);
  const answer = get(`/v1/receipts/${receiptOf({ 0: 4n })}?wait=30`);
  await looked(3);
  server.progress.move('sink', TOPIC, 0, 5n);

  expect(await answer).toMatchObject({ status: 200, body: { projected: true, queryable: true } });
});

test('a request with wait is answered when its time is over, with the progress at that moment', async () => {
  server.progress.move('projector', TOPIC, 0, 5n);

  expect(await get(`/v1/receipts/${receiptOf({ 0: 4n })}?wait=0.05`)).toMatchObject({
    status: 200,
    body: { projected: true, queryable: false },
  });
});

test('a request whose client disconnects stops waiting', async () => {
  const gone = new AbortController();
  const answer = server.request(`/v1/receipts/${receiptOf({ 0: 4n })}?wait=30`, { signal: gone.signal });
  await looked(2);

  gone.abort();

  await expect(answer).rejects.toThrow();
  await vi.waitUntil(() => server.watch.waiting === 0, { interval: 1, timeout: 20_000 });
});

test('stopping answers who waits, and refuses who comes after until the server closes', async () => {
  const path = `/v1/receipts/${receiptOf({ 0: 4n })}`;
  const answer = get(`${path}?wait=30`);
  await looked(2);

  server.watch.stop();

  expect(await answer).toMatchObject({ status: 200, body: { projected: false, queryable: false } });
  expect(await get(path)).toMatchObject({ status: 503 });
});

test('a receipt for a whole topic asks of each partition what it held when asked about, and no more', async () => {
  const appended = Array.from({ length: 3_000 }, (_, partition) => placeOf(partition, 99n));
  const path = `/v1/receipts/${encodeReceipt(receiptSignerOf(PROJECT), ACCEPTED_AT_MS, appended)}`;
  server.ends = [
    { topic: TOPIC, partition: 0, offset: 5_000n },
    { topic: TOPIC, partition: 1, offset: 7n },
    { topic: TOPIC, partition: 2, offset: 0n },
  ];

  server.progress.move('both', TOPIC, 0, 99n);
  server.progress.move('both', TOPIC, 1, 7n);
  expect(await get(path)).toMatchObject({ body: { projected: false, queryable: false } });
  server.progress.move('both', TOPIC, 0, 100n);
  expect(await get(path)).toMatchObject({ body: { projected: true, queryable: true } });
  server.progress.move('sink', TOPIC, 1, 6n);
  expect(await get(path)).toMatchObject({ body: { projected: true, queryable: false } });
});
