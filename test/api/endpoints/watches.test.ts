import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TOPIC_URL } from '../../../services/webhooks/topic.ts';
import { SETTINGS } from '../../contract/endpoint-store.ts';
import { AUDIENCES_KEY, PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';

const ORDER_EVENTS = { event: 'Order' };
const SIZE_QUESTION = { audience: 'aud_00000000000000000001' };

let reading: ReadingServer;

beforeAll(async () => {
  reading = await ReadingServer.start();
  await reading.addAudience(SIZE_QUESTION.audience);
});

beforeEach(() => reading.database.query('delete from watches where project_id is not null'));

afterAll(() => reading.stop());

async function sendWatch(method: string, name: string, body?: string, key = AUDIENCES_KEY) {
  const headers = { api_key: key, 'content-type': 'application/json' };
  const sent = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await fetch(`${reading.url}/v1/watches${name}`, sent);
  return { status: response.status, text: await response.text() };
}

async function faultyPaths(body: object): Promise<readonly string[]> {
  const { status, text } = await sendWatch('PUT', '/Orders', JSON.stringify(body));
  if (status !== 400) return [String(status)];
  return (JSON.parse(text) as { errors: readonly { path: string }[] }).errors.map(({ path }) => path);
}

test('a watch is saved under its name, with every digit, and saved again it is the same', async () => {
  const body =
    '{"rule":{"below":0.1},"question":{"event":"Order","where":[{"property":"id","gt":12345678901234567890}]}}';

  const first = await sendWatch('PUT', '/Orders', body);
  const again = await sendWatch('PUT', '/Orders', body);
  const { text } = await sendWatch('GET', '', undefined, READ_KEY);

  expect([first.status, again.text]).toEqual([200, first.text]);
  expect(text).toBe(`{"watches":[${first.text}]}`);
  expect(text).toContain(
    '"question":{"event":"Order","where":[{"property":"id","gt":12345678901234567890}]},"rule":{"below":0.1}',
  );
});

test.each([
  [{ question: ORDER_EVENTS, rule: {} }, ['/rule']],
  [{ question: ORDER_EVENTS, rule: { below: 1, above: 2 } }, ['/rule']],
  [{ question: ORDER_EVENTS, rule: { none_for: 3 } }, ['/rule/none_for']],
  [{ question: { ...ORDER_EVENTS, refused: true }, rule: { above: 3 } }, ['/question']],
  [{ question: { refused: true }, rule: { none_for: 30 } }, ['/rule/none_for']],
  [{ question: SIZE_QUESTION, rule: { none_for: 30 } }, ['/rule/none_for']],
  [{ question: { refused: true }, rule: { changed_by: 30 } }, ['/rule/changed_by']],
  [{ question: { audience: 'aud_00000000000000000009' }, rule: { below: 3 } }, ['/question/audience']],
  [{ question: { ...ORDER_EVENTS, share_of: { event: 7 } }, rule: { below: 3 } }, ['/question/share_of/event']],
  [{ question: { ...ORDER_EVENTS, share_of: {} }, rule: { none_for: 30 } }, ['/rule/none_for']],
  [{ question: { ...ORDER_EVENTS, within: { last: '1d' } }, rule: { below: 3 } }, ['/question/within']],
  [{ question: { where: [{ property: 'a' }] }, rule: { below: 3 } }, ['/question/where/0']],
])('a watch that means nothing is refused, and the place is named: %j', async (body, paths) => {
  expect(await faultyPaths(body)).toEqual(paths);
});

test('a topic is told of no watch, and an endpoint of another project is unknown', async () => {
  const { endpoint } = await reading.endpoints.create(PROJECT.id, { ...SETTINGS, url: TOPIC_URL });
  const foreign = await reading.endpoints.create(null, { ...SETTINGS, types: ['attention.raised'] });

  expect(await faultyPaths({ question: ORDER_EVENTS, rule: { below: 1 }, endpoints: [endpoint.id] })).toEqual([
    '/endpoints/0',
  ]);
  expect(await faultyPaths({ question: ORDER_EVENTS, rule: { below: 1 }, endpoints: [foreign.endpoint.id] })).toEqual([
    '404',
  ]);
});

test('a key that only reads lists watches, and changes none', async () => {
  const body = JSON.stringify({ question: ORDER_EVENTS, rule: { below: 1 } });

  expect((await sendWatch('PUT', '/Orders', body, READ_KEY)).status).toBe(401);
  expect((await sendWatch('DELETE', '/Orders', undefined, READ_KEY)).status).toBe(401);
});
