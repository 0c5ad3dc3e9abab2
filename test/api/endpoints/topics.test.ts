import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TOPIC_URL } from '../../../services/webhooks/topic.ts';
import { ADMIN_KEY, AUDIENCES_KEY, PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

let reading: ReadingServer;

beforeAll(async () => {
  reading = await ReadingServer.start();
});

beforeEach(async () => {
  await reading.database.query('delete from endpoints');
  reading.isOnKafka = true;
});

afterAll(() => reading.stop());

async function send(method: string, path: string, body: object = {}, key = AUDIENCES_KEY) {
  const headers = { api_key: key, 'content-type': 'application/json' };
  const response = await fetch(`${reading.url}/v1/endpoints${path}`, { method, headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

test('an endpoint may be the topic, and has no secret then, also none that is new', async () => {
  const made = await send('POST', '', { url: TOPIC_URL, types: ['audience.changed', 'user.forgotten'] });

  const rotated = await send('POST', `/${String(made.body['id'])}/rotate`);

  expect(made).toMatchObject({ status: 201, body: { url: TOPIC_URL, secret: null } });
  expect(rotated).toMatchObject({ status: 409, body: { error_code: 'ENDPOINT_UNSIGNED' } });
});

test('where the log is embedded, an endpoint that is a topic is refused', async () => {
  reading.isOnKafka = false;

  const made = await send('POST', '', { url: TOPIC_URL });

  expect(made).toMatchObject({ status: 409, body: { error_code: 'KAFKA_MISSING' } });
  expect(await reading.endpoints.list(PROJECT.id)).toEqual([]);
});

test.each(['kafka:', 'kafka:tidemark.track', 'kafka://broker:9092/tidemark.audience-change', `${TOPIC_URL}?x=1`])(
  'no other topic is written: %s is refused',
  async (url) => {
    const made = await send('POST', '', { url });

    expect(made).toMatchObject({ status: 400, body: { errors: [{ path: '/url' }] } });
  },
);

test('dead letters and verifications are not written to the topic', async () => {
  const ofProject = await send('POST', '', { url: TOPIC_URL, types: ['audience.changed', 'dead_letter.waiting'] });
  const types = ['dead_letter.waiting', 'verification.differs'];
  const ofInstallation = await send('POST', '', { url: TOPIC_URL, types }, ADMIN_KEY);
  const { body } = await send('POST', '', { url: TOPIC_URL });
  const changed = await send('PATCH', `/${String(body['id'])}`, { types: ['dead_letter.waiting'] });

  expect(ofProject).toMatchObject({ status: 400, body: { errors: [{ path: '/types/1' }] } });
  expect(ofInstallation).toMatchObject({ status: 400, body: { errors: [{ path: '/types/0' }, { path: '/types/1' }] } });
  expect(changed).toMatchObject({ status: 400, body: { errors: [{ path: '/types/0' }] } });
});

test('an endpoint that is posted to does not become the topic, nor the topic one that is posted to', async () => {
  const posted = await send('POST', '', { url: 'https://example.com/' });
  const topic = await send('POST', '', { url: TOPIC_URL });

  const changes = [
    await send('PATCH', `/${String(posted.body['id'])}`, { url: TOPIC_URL }),
    await send('PATCH', `/${String(topic.body['id'])}`, { url: 'https://example.com/' }),
  ];

  for (const changed of changes) expect(changed).toMatchObject({ status: 400, body: { errors: [{ path: '/url' }] } });
  expect(await send('PATCH', `/${String(topic.body['id'])}`, { url: TOPIC_URL })).toMatchObject({ status: 200 });
});
