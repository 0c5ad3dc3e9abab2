import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { IngestServer, LIMITED_KEY, READ_KEY, WRITE_KEY } from '../support/http/ingest-server.ts';

let server: IngestServer;
beforeAll(async () => {
  server = await IngestServer.start({ corsOrigins: ['https://shop.example'] });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faulty.records.length = 0;
});

const CALL = { userId: 'ada', event: 'Paid', groupId: 'acme', previousId: 'old', name: 'Home' };

/** What was recorded. */
function recorded() {
  return server.messages().map(({ type, source, userId, anonymousId }) => ({ type, source, userId, anonymousId }));
}

describe('the paths of SDKs', () => {
  const bases = ['/v1', '/api/public/apps', '/api/s', '/api/s/s2s'];
  const calls = ['identify', 'track', 'page', 'screen', 'group', 'alias'];
  const paths = calls.flatMap((call) => [`/v1/${call.charAt(0)}`, ...bases.map((base) => `${base}/${call}`)]);

  test.each(paths)('%s takes a call, with and without a final slash', async (path) => {
    const replies = [await server.post(path, CALL), await server.post(`${path}/`, CALL)];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const call = calls.find((each) => path.endsWith(each) || path === `/v1/${each.charAt(0)}`)!;
    const type = call === 'identify' ? 'identify' : 'track';
    expect(recorded()).toEqual(
      Array.from({ length: 2 }, () => ({ type, source: call, userId: 'ada', anonymousId: null })),
    );
  });

  test.each(['/v1/batch', '/v1/b', '/v1/import', '/api/public/apps/batch'])('%s takes a batch', async (path) => {
    const batch = [{ type: 'track', ...CALL }];
    const replies = [await server.post(path, { batch }), await server.post(`${path}/`, { batch })];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(recorded()).toHaveLength(2);
  });
});

describe('an anonymousId beside a userId', () => {
  test("an anonymousId beside a userId is recorded, and the message stays the user's", async () => {
    await server.post('/v1/track', { ...CALL, anonymousId: 'anon-1' });
    await server.post('/v1/track', CALL);

    expect(recorded().map(({ anonymousId }) => anonymousId)).toEqual(['anon-1', null]);
    expect(new Set(server.messages().map(({ userKey }) => userKey)).size).toBe(1);
  });
});

describe('a batch of an SDK', () => {
  const bad = { type: 'track', userId: 'ada' };
  const good = { type: 'track', userId: 'ada', event: 'Paid' };

  test('a batch of an SDK loses only its bad items, which are listed and counted', async () => {
    const sentAt = '2026-11-20T10:00:00Z';
    const { status, json } = await server.post('/v1/batch', { batch: [good, bad, 5, good], sentAt });

    expect([status, json.rejected.map(({ index }) => index)]).toEqual([200, [1, 2]]);
    expect(json.message_ids.map((id) => id !== null)).toEqual([true, false, false, true]);
    expect(recorded()).toHaveLength(2);
    expect((await server.get('/metrics')).text).toContain('tidemark_ingest_items_rejected_total 2');
  });

  test('a batch of an SDK without a good item is refused', async () => {
    expect((await server.post('/v1/batch', { batch: [bad], writeKey: 'k' })).status).toBe(400);
    expect(recorded()).toEqual([]);
  });

  test('the answer to a batch of an SDK without bad items has no member for them', async () => {
    const { json } = await server.post('/v1/batch', { batch: [good] });
    expect(Object.keys(json)).toEqual(['success', 'message_ids', 'receipt']);
  });

  test("a batch in the interface's own form stays all or nothing", async () => {
    const own = { type: 'track', user_id: 'ada', event: 'Paid' };
    const { status } = await server.post('/v1/batch', { batch: [own, { type: 'track', user_id: 'ada' }] });

    expect([status, recorded()]).toEqual([400, []]);
  });
});

describe('a call of an SDK with a member that cannot be used', () => {
  const good = { type: 'track', userId: 'ada', event: 'Paid', messageId: 'm' };

  test('what was done to it is named in the answer to a call', async () => {
    const { status, json } = await server.post('/v1/track', { ...good, properties: [], timestamp: '' });

    expect([status, json.message_id, json.adjusted]).toEqual([
      200,
      'm',
      [
        { path: '/timestamp', message: expect.stringMatching(/left out$/) },
        { path: '/properties', message: 'is an empty list: taken as an empty object' },
      ],
    ]);
    expect(recorded()).toMatchObject([{ type: 'track', userId: 'ada' }]);
  });

  test('what was done to it is named in the answer to a batch, and counted', async () => {
    const before = await count();
    const batch = [good, { ...good, event: 5 }, { ...good, properties: { 'a/b': ['\0'] } }];
    const { json } = await server.post('/v1/batch', { batch, sentAt: 'x' });

    expect([json.rejected, json.adjusted]).toMatchObject([
      undefined,
      [
        { path: '/sentAt' },
        { path: '/batch/1/event', message: 'is not a text: taken as one' },
        { path: '/batch/2/properties/a~1b/0', message: 'holds a NUL character: mended' },
      ],
    ]);
    expect(recorded()).toHaveLength(3);
    expect((await count()) - before).toBe(2);
  });

  test('what was done to it is in its record, and null in one that came as it is', async () => {
    await server.post('/v1/batch', { batch: [good, { ...good, type: 'Track' }] });

    const adjusted = server.messages().map((message) => (message.type === 'track' ? message.adjusted : ''));
    expect(adjusted).toEqual([null, '[{"path":"/type","message":"is taken as track"}]']);
  });

  test('an answer names the first hundred, and counts all', async () => {
    const before = await count();
    const { json } = await server.post('/v1/batch', {
      batch: Array.from({ length: 150 }, () => ({ ...good, event: 5 })),
    });

    expect([json.adjusted?.length, (await count()) - before]).toEqual([100, 150]);
  });

  test('one of nobody, or of nothing, is refused with what is wrong', async () => {
    const nobody = await server.post('/v1/track', { ...good, userId: true });
    const nothing = await server.post('/v1/track', { ...good, event: [] });

    expect([nobody, nothing].map(({ status, json }) => [status, json.errors?.map(({ path }) => path)])).toEqual([
      [400, ['/user_id', '/userId']],
      [400, ['/event']],
    ]);
  });

  test("a call in the interface's own form is refused for the same", async () => {
    const own = { user_id: 'ada', event: 'Paid' };
    const replies = [
      await server.post('/v1/track', { ...own, properties: [] }),
      await server.post('/v1/track', { ...own, timestamp: '' }),
      await server.post('/v1/batch', { batch: [{ ...own, type: 'Track' }] }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  async function count(): Promise<number> {
    const { text } = await server.get('/metrics');
    return Number(/^tidemark_ingest_messages_adjusted_total (\d+)$/m.exec(text)?.[1]);
  }
});

describe('the content type', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'the type %s is taken with the body of an SDK, and refused with another',
    async (type) => {
      const sdk = await server.post('/v1/track', CALL, { 'content-type': type });
      const own = await server.post('/v1/track', { user_id: 'ada', event: 'Paid' }, { 'content-type': type });
      const none = await server.post('/v1/track', 'no JSON', { 'content-type': type });

      expect([sdk.status, own.status, none.status]).toEqual([200, 400, 400]);
      expect([own.json.code, none.json.code]).toEqual(['unsupported-type', 'unsupported-type']);
    },
  );

  test('a gzip body of an SDK may have any type', async () => {
    const body = gzipSync(JSON.stringify({ batch: [{ type: 'track', ...CALL }] }));
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' };

    expect((await server.post('/v1/batch', body, headers)).status).toBe(200);
  });
});

describe('the key', () => {
  const none = { api_key: null };

  test('a key is taken from the body where no header has one', async () => {
    const replies = [
      await server.post('/v1/import/', { batch: [{ type: 'track', ...CALL }], writeKey: WRITE_KEY }, none),
      await server.post('/v1/t', { ...CALL, writeKey: WRITE_KEY }, { ...none, 'content-type': 'text/plain' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a key is taken from X-Write-Key, without the name before it', async () => {
    const reply = await server.post('/v1/t', CALL, { ...none, 'x-write-key': `key:${WRITE_KEY}` });
    expect(reply.status).toBe(200);
  });

  test.each([
    ['none', {}],
    ['an unknown one', { writeKey: 'unknown' }],
    ['one of scope read', { writeKey: READ_KEY }],
    ['one that is no text', { writeKey: 5 }],
  ])('a request without a key in its headers is refused where the body has %s', async (_, more) => {
    const { status, json } = await server.post('/v1/track', { ...CALL, ...more }, none);

    expect([status, json.code, typeof json.message]).toEqual([401, 'unauthorized', 'string']);
    expect(recorded()).toEqual([]);
  });

  test('a key in a header wins over the one in the body', async () => {
    const { status } = await server.post('/v1/track', { ...CALL, writeKey: WRITE_KEY }, { api_key: 'unknown' });
    expect(status).toBe(401);
  });

  test('a key in the body is held to the rate of its project', async () => {
    const send = async (): Promise<number> =>
      (await server.post('/v1/track', { ...CALL, writeKey: LIMITED_KEY }, none)).status;
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push(await send());

    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test('a body that cannot be read and has no key in its headers is answered 401', async () => {
    const tooLarge = await server.post('/v1/track', 'x'.repeat(40_000), none);
    const notUtf8 = await server.post('/v1/track', new Uint8Array([0xff]), none);

    expect([tooLarge.status, notUtf8.status]).toEqual([401, 401]);
  });
});
