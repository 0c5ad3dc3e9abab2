import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Call } from '../../services/http/call.ts';
import { ConcurrencyLimiter } from '../../services/http/concurrency-limiter.ts';
import { eventually } from '../support/eventually.ts';
import { IngestServer, LIMITED_KEY, OTHER_KEY, WRITE_KEY } from '../support/http/ingest-server.ts';
import { RawClient, request } from '../support/http/raw-client.ts';

const GET = request('/slow', { api_key: WRITE_KEY }, '', 'GET');
const GET_OF_ANOTHER = request('/slow', { api_key: OTHER_KEY }, '', 'GET');
const GET_OF_A_THIRD = request('/slow', { api_key: LIMITED_KEY }, '', 'GET');

let server: IngestServer;
let gate: PromiseWithResolvers<void>;
let handled: number;

beforeEach(async () => {
  gate = Promise.withResolvers();
  handled = 0;
  const limiter = new ConcurrencyLimiter(4);
  const route = { method: 'GET', path: '/slow', scope: 'write', bodyLimitBytes: null, style: 'problem' } as const;
  const handle = async () => {
    handled++;
    await gate.promise;
    return { status: 200, body: '{}' };
  };
  server = await IngestServer.start({
    routes: [{ ...route, admitWhole: (call: Call) => limiter.admit(call), handle }],
  });
});
afterEach(() => server.stop());

async function ask(text = GET): Promise<RawClient> {
  return (await RawClient.connect(server.port)).send(text);
}

async function statusOf(client: RawClient): Promise<number | undefined> {
  const [answer] = await client.answered();
  return answer?.status;
}

test('a project that has half of the places open gets 429 until one of them is answered', async () => {
  const open = [await ask(), await ask()];
  await eventually(() => expect(handled).toBe(2));

  const [refused] = await (await ask()).answered();
  expect([refused?.status, refused?.json?.type]).toEqual([429, 'urn:tidemark:problem:overloaded']);
  expect(refused?.head).toMatch(/\r\nretry-after: \d+/i);
  gate.resolve();
  expect(await Promise.all(open.map(statusOf))).toEqual([200, 200]);
  expect(await Promise.all([await ask(), await ask()].map(statusOf))).toEqual([200, 200]);
});

test('a client that goes away makes room', async () => {
  const [gone] = [await ask(), await ask()];
  await eventually(() => expect(handled).toBe(2));

  gone?.socket.destroy();

  await eventually(() => expect(server.http.openConnections).toBe(1));
  const client = await ask();
  await eventually(() => expect(handled).toBe(3));
  gate.resolve();
  expect(await statusOf(client)).toBe(200);
});

test('a project that has its half open leaves the other half to others', async () => {
  await Promise.all([ask(), ask()]);
  await eventually(() => expect(handled).toBe(2));

  expect(await statusOf(await ask())).toBe(429);
  const others = [await ask(GET_OF_ANOTHER), await ask(GET_OF_ANOTHER)];
  await eventually(() => expect(handled).toBe(4));
  gate.resolve();
  expect(await Promise.all(others.map(statusOf))).toEqual([200, 200]);
});

test('where all places are taken, a project that has none gets the newest of whoever has most, and no second', async () => {
  const held = [await ask(), await ask(), await ask(GET_OF_ANOTHER), await ask(GET_OF_ANOTHER)];
  await eventually(() => expect(handled).toBe(4));

  const third = await ask(GET_OF_A_THIRD);
  await eventually(() => expect(held.filter(({ received }) => received !== '')).toHaveLength(1));
  const [given] = held.flatMap((client) => client.answers());
  const second = await statusOf(await ask(GET_OF_A_THIRD));

  expect([given?.status, given?.json?.type, second]).toEqual([429, 'urn:tidemark:problem:overloaded', 429]);
  gate.resolve();
  const statuses = await Promise.all([...held, third].map(statusOf));
  expect(statuses.filter((status) => status === 200)).toHaveLength(4);
});

test('where every project has one place, a further one gets none', async () => {
  const limiter = new ConcurrencyLimiter(2);
  const callOf = (id: string): Call => ({ res: new EventEmitter(), projectId: id }) as unknown as Call;

  expect([limiter.admit(callOf('a')), limiter.admit(callOf('b'))]).toEqual([undefined, undefined]);

  expect(limiter.admit(callOf('c'))).toMatchObject({ refused: 'overloaded' });
});
