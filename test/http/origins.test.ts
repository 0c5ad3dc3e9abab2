import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { IngestServer, WRITE_KEY } from '../support/http/ingest-server.ts';

let ingest: IngestServer;
beforeAll(async () => {
  ingest = await IngestServer.start({ corsOrigins: ['https://shop.example'] });
});
afterAll(() => ingest.stop());
beforeEach(() => {
  ingest.faulty.records.length = 0;
});

const CALL = { userId: 'ada', event: 'Paid' };

describe('pages of other origins', () => {
  const preflight = (origin: string, path = '/v1/t'): Promise<Response> =>
    fetch(ingest.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  test('pages of an origin in CORS_ORIGINS may send what SDKs send', async () => {
    const asked = await preflight('https://shop.example');
    const sent = await ingest.post('/v1/t', CALL, { origin: 'https://shop.example', 'content-type': 'text/plain' });

    expect([asked.status, sent.status]).toEqual([204, 200]);
    expect(asked.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(sent.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  });

  test.each(['api_key', 'x-api-key', 'authorization', 'content-type', 'idempotency-key', 'prefer'])(
    'pages of such an origin may send the header %s',
    async (name) => {
      const allowed = (await preflight('https://shop.example')).headers.get('access-control-allow-headers');
      expect(allowed?.split(', ')).toContain(name);
    },
  );

  test.each([['https://other.example'], ['null'], ['https://shop.example.other.example'], ['http://shop.example']])(
    'what a page of the origin %s sends without asking is not recorded',
    async (origin) => {
      const plain = { origin, 'content-type': 'text/plain', api_key: null };
      const body = JSON.stringify({ ...CALL, type: 'track', writeKey: WRITE_KEY });
      const replies = [
        await ingest.post('/v1/track', body, plain),
        await ingest.post(
          '/v1/batch',
          JSON.stringify({ batch: [{ type: 'track', ...CALL }], writeKey: WRITE_KEY }),
          plain,
        ),
        await ingest.post('/v1/track', body, { ...plain, 'sec-fetch-site': 'cross-site' }),
        await ingest.post('/v1/track', CALL, { origin }),
        await ingest.post('/legacy/add-event', {}, { origin }),
      ];

      expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      expect(ingest.messages()).toEqual([]);
      expect((await preflight(origin)).status).toBe(403);
    },
  );

  test('what no page sent, and what a page of this ingest sent, is recorded', async () => {
    await ingest.post('/v1/track', CALL);
    await ingest.post('/v1/track', CALL, { origin: ingest.url });
    await ingest.post('/v1/track', CALL, { origin: 'https://proxy.example', 'sec-fetch-site': 'same-origin' });

    expect(ingest.messages()).toHaveLength(3);
  });

  test('a refusal can be read by pages of such an origin', async () => {
    const { status, headers } = await ingest.post('/v1/t', {}, { origin: 'https://shop.example' });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([400, 'https://shop.example']);
  });

  test('pages of other origins, and other paths, are not opened', async () => {
    expect((await preflight('https://other.example')).headers.get('access-control-allow-origin')).toBeNull();
    expect(
      (await preflight('https://shop.example', '/v1/users/ada')).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });
});
