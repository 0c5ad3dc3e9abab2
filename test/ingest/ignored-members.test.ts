import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IngestServer } from '../support/http/ingest-server.ts';

describe.each([
  ['on the HTTP thread', false],
  ['in the writer thread of the log', true],
])('members that nothing reads, of a body that is encoded %s', (_, offload) => {
  let server: IngestServer;
  beforeAll(async () => {
    server = await IngestServer.start({ offload });
  });
  afterAll(() => server.stop());

  test.each([
    ['/v1/identify', { user_id: 'u', trait: { a: 1 }, traits: {} }, ['/trait']],
    ['/v1/track', { user_id: 'u', event: 'e', time: 1, 'a/b~': 2 }, ['/time', '/a~1b~0']],
    ['/v1/track', { user_id: 'u', event: 'e', context: {}, anonymousId: 'a' }, undefined],
    ['/v1/track', { userId: 'u', event: 'e', integrations: {}, _metadata: {} }, undefined],
    ['/v1/page', { user_id: 'u', anything: 1 }, undefined],
    [
      '/v1/batch',
      {
        batch: [
          { type: 'track', user_id: 'u', event: 'e' },
          { type: 'identify', user_id: 'u', event: 'e' },
        ],
        list: [],
      },
      ['/list', '/batch/1/event'],
    ],
    ['/v1/batch', { batch: [{ type: 'track', userId: 'u', event: 'e', more: 1 }], list: [] }, undefined],
  ])('an answer of %s to %j lists %j', async (path, body, ignored) => {
    const { status, json } = await server.post(path, body);

    expect([status, json.ignored]).toEqual([200, ignored]);
  });

  test('an answer to a lenient batch lists rejected items and ignored members', async () => {
    const batch = [{ type: 'track', user_id: 'u', event: 'e', extra: 1 }, { type: 'track' }];
    const { json } = await server.post('/v1/batch', { batch }, { prefer: 'handling=lenient' });

    expect([json.rejected.map(({ index }) => index), json.ignored]).toEqual([[1], ['/batch/0/extra']]);
  });

  test('an answer lists the first hundred ignored members', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`m${n}`, n]));
    const batch = Array.from({ length: 3 }, () => ({ type: 'track', user_id: 'u', event: 'e', ...many }));

    expect((await server.post('/v1/batch', { batch })).json.ignored).toHaveLength(100);
  });
});
