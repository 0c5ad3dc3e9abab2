import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReadingServer } from '../../support/http/reading-server.ts';

const PAID = '{"event":"Paid","within":"7d","where":[{"property":"total","gt":12345678901234567890.10}]}';
const SEQUENCE = `{"event":"Viewed","within":{"last":"30d"},"followed_by":${PAID}}`;
const VIEWED = '{"event":"Viewed","within":{"last":"30d"}}';
const USERS = '{"trait":"age","gte":1.5}';

describe('POST /v1/funnels', () => {
  let server: ReadingServer;
  beforeAll(async () => {
    server = await ReadingServer.start();
    const row = { value: 'n1', size: '2', reached: ['3', '1'], total: ['5', '2'] };
    server.analytics.answer = () => ({ rows: [row], tookMs: 1, rowsRead: 10, bytesRead: 1 });
  });
  afterAll(() => server.stop());

  async function ask(body: string) {
    const response = await server.request('/v1/funnels', { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  }

  test('each step comes with the definitions of its audiences, every digit kept', async () => {
    const { status, text } = await ask(`{"sequence":${SEQUENCE},"users":${USERS}}`);

    expect(status).toBe(200);
    expect(text).toContain(`{"reached":5,"audience":{"all":[${USERS},${VIEWED}]},"dropped":3`);
    expect(text).toContain(`"dropped_audience":{"all":[${USERS},${VIEWED},{"not":${SEQUENCE}}]}}`);
    expect(text).toContain(
      `{"reached":2,"audience":{"all":[${USERS},${SEQUENCE}]},"dropped":null,"dropped_audience":null}`,
    );
    expect(text).toContain('"series":[]');
  });

  test('the values of a trait come apart, and what is left comes last', async () => {
    const { text } = await ask(`{"sequence":${SEQUENCE},"split":{"trait":"age","top":1}}`);

    expect(JSON.parse(text)).toMatchObject({
      series: [
        { value: 1, other: false, reached: [3, 1] },
        { value: null, other: true, reached: [2, 1] },
      ],
    });
  });

  test.each([
    ['{}', '/sequence'],
    [`{"sequence":${VIEWED}}`, '/sequence/followed_by'],
    [`{"sequence":{"not_followed_by":${PAID},"event":"a","followed_by":${PAID}}}`, '/sequence/not_followed_by'],
    [`{"sequence":{"event":"a","followed_by":{"event":"b"}}}`, '/sequence/followed_by/within'],
    [`{"sequence":{"event":"a","count":{"at_least":2},"followed_by":${PAID}}}`, '/sequence/count'],
    [`{"sequence":${SEQUENCE},"split":{"property":"total"}}`, '/split/trait'],
    [`{"sequence":${SEQUENCE},"users":{"audience":"aud_nobody"}}`, '/users/audience'],
  ])('%s is refused at %s', async (body, path) => {
    const { status, text } = await ask(body);

    expect(status).toBe(400);
    expect((JSON.parse(text) as { errors: { path: string }[] }).errors.map((one) => one.path)).toContain(path);
  });
});
