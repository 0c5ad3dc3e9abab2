import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { encodeListCursor } from '../../../services/api/audiences/cursor.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { ReadingServer } from '../../support/http/reading-server.ts';

const PATHS = ['/v1/users/ada/audiences', '/v1/users/ada/traits/plan/history', '/v1/users/ada/export'];
let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
  await server.addProfile('ada', { anonymousIds: ['cookie'] });
  server.addEvent('ada', { messageId: 'm1', properties: '{"total":1.10}' });
});

afterEach(async () => {
  server.analytics.unreachable = server.database.unreachable = false;
  await server.database.query('delete from audiences');
  answerWith(() => []);
});

afterAll(() => server.stop());

function answerWith(rowsOf: (query: Query) => readonly Record<string, unknown>[] | Error): void {
  server.analytics.answer = (query) => {
    const rows = rowsOf(query);
    return rows instanceof Error ? rows : { rows, tookMs: 1, rowsRead: 1, bytesRead: 1 };
  };
}

/** Analytics that knows the user and nothing else. */
function knowUser(): void {
  answerWith(({ sql }) => (sql.includes('FROM user_rows') ? [{ n: '1', user_id: 'ada' }] : []));
}

test('a part that cannot be reached is named in the 503', async () => {
  knowUser();
  for (const path of PATHS) {
    server.analytics.unreachable = true;
    const analytics = await server.request(path);
    server.analytics.unreachable = false;
    server.database.unreachable = true;
    const profiles = await server.request(path.replace('ada', 'nobody'));
    server.database.unreachable = false;

    for (const [response, part] of [
      [analytics, 'analytics'],
      [profiles, 'profiles'],
    ] as const)
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        503,
        { detail: `The part ${part} cannot be reached now. Send the same request again later.` },
      ]);
  }
});

test('a page has 100 audiences, and the next one begins behind them', async () => {
  for (let n = 100; n <= 200; n++) await server.addAudience(`aud_${n}`);
  knowUser();

  const first = (await (await server.request('/v1/users/ada/audiences')).json()) as Page;
  const rest = (await (await server.request(`/v1/users/ada/audiences?cursor=${first.next_cursor}`)).json()) as Page;

  expect(first.audiences).toHaveLength(100);
  expect(first.next_cursor).toBe(encodeListCursor({ createdAtMs: 0, id: first.audiences.at(-1)?.id ?? '' }));
  expect(rest.audiences).toHaveLength(1);
  expect(rest.next_cursor).toBeNull();
});

interface Page {
  readonly audiences: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

test('all audiences of a page are evaluated by a handful of questions', async () => {
  for (let n = 100; n < 200; n++) await server.addAudience(`aud_${n}`);
  let asked = 0;
  answerWith(({ sql }) => {
    asked++;
    return sql.includes('FROM user_rows') ? [{ n: '1', user_id: 'ada' }] : [];
  });

  await server.request('/v1/users/ada/audiences');

  expect(asked).toBe(3);
});

test('a trait with an empty name has a history', async () => {
  const response = await server.request('/v1/users/ada/traits//history');

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ trait: '' });
});

test('a trait that a known user never had has an empty history', async () => {
  const response = await server.request('/v1/users/ada/traits/a%2Fb%22/history');

  expect(await response.json()).toEqual({ trait: 'a/b"', values: [], next_cursor: null });
});

test('an export that fails on its way is cut before its last line', async () => {
  answerWith(({ sql }) =>
    sql.includes('FROM audience_changes') ? new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered') : [],
  );

  const response = await server.request('/v1/users/ada/export');

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) pieces.push(piece);
  })();
  await expect(reading).rejects.toThrow();
  expect(pieces.join('')).toContain('"type":"track"');
  expect(pieces.join('')).not.toContain('"type":"end"');
});
