import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseBody } from '../../../services/messages/json.ts';
import { insertEvaluation } from '../../support/http/inserted-rows.ts';
import { PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

const AUDIENCE = 'aud_00000000000000000001';
const OTHER = 'aud_00000000000000000002';
const HOUR = 3_600_000_000n;
const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;

let server: ReadingServer;
let keyId: string;

beforeAll(async () => {
  server = await ReadingServer.start();
  for (const id of [AUDIENCE, OTHER]) await server.addAudience(id);
  const definitions = ['{"trait":"n","is":3.0}', '{"trait":"n","is":2.10}', '{ "trait":"n","is":9007199254740993}'];
  const named = { scopes: ['audiences'], name: 'Jobs', sha256: 'a'.repeat(64) } as const;
  keyId = (await server.admin.projects.addKey(PROJECT.id, named)).id;
  for (const [n, definition] of definitions.entries())
    await server.database.query(
      `insert into audience_versions (audience_id, version, definition, changed_at_ms, changed_by)
       values ($1, $2::int4, $3, $4::int8, $5)`,
      [AUDIENCE, 3 - n, definition, n === 2 ? null : 1_000n, n === 0 ? keyId : null],
    );
  for (const hour of [0, 1, 2])
    await insertEvaluation(server.database, AUDIENCE, NOON + BigInt(hour) * HOUR, 10 + hour, hour);
});

afterAll(() => server.stop());

interface Page {
  readonly next_cursor: string | null;
  readonly versions: readonly object[];
  readonly history: readonly { readonly at: string }[];
}

async function get(path: string, key?: string): Promise<{ status: number; text: string }> {
  const response = await server.request(`/v1/audiences/${path}`, {}, key);
  return { status: response.status, text: await response.text() };
}

async function page(path: string): Promise<Page> {
  const { status, text } = await get(path);
  expect(status, text).toBe(200);
  return JSON.parse(text) as Page;
}

async function pages(path: string, name: 'versions' | 'history'): Promise<object[]> {
  const entries: object[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const read: Page = await page(`${path}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    entries.push(...read[name]);
    cursor = read.next_cursor;
  }
  return entries;
}

test('a list has the sizes of each audience for as many days as it asks about, and 100 audiences at most then', async () => {
  const hoursAgo = (hours: bigint): bigint => BigInt(Date.now()) * 1000n - hours * HOUR;
  for (const hours of [1n, 30n, 90n]) await insertEvaluation(server.database, OTHER, hoursAgo(hours), Number(hours));
  const sizesOf = async (query: string): Promise<Record<string, object>> => {
    const answer = await (await server.request(`/v1/audiences${query}`)).json();
    const { audiences } = answer as { audiences: readonly { id: string; sizes: object }[] };
    return Object.fromEntries(audiences.map(({ id, sizes }) => [id, sizes]));
  };

  const at = expect.any(String) as string;
  expect(await sizesOf('?sizes=2&limit=100')).toEqual({
    [AUDIENCE]: [],
    [OTHER]: [
      { at, count: 1 },
      { at, count: 30 },
    ],
  });
  expect(await sizesOf('')).toEqual({ [AUDIENCE]: undefined, [OTHER]: undefined });
  expect((await server.request('/v1/audiences?sizes=2&limit=101')).status).toBe(400);
  expect((await server.request('/v1/audiences?sizes=9')).status).toBe(400);
});

test('versions are listed newest first, each with its definition as it was sent', async () => {
  const { text } = await get(`${AUDIENCE}/versions`);

  expect(text).toContain('{"version":2,"definition":{"trait":"n","is":2.10},');
  expect(text).toContain('{"version":1,"definition":{ "trait":"n","is":9007199254740993},');
  expect(parseBody(text).ok).toBe(true);
  expect(JSON.parse(text)).toMatchObject({
    versions: [
      { version: 3, changed_at: '1970-01-01T00:00:01.000000Z', changed_by: keyId },
      { version: 2, changed_at: '1970-01-01T00:00:01.000000Z', changed_by: null },
      { version: 1, changed_at: null, changed_by: null },
    ],
    next_cursor: null,
  });
});

test('the history has an entry for every evaluation, newest first', async () => {
  const { history, next_cursor } = await page(`${AUDIENCE}/history`);

  expect(next_cursor).toBeNull();
  expect(history).toEqual([
    { at: '2026-11-20T14:00:00.000000Z', version: 1, cause: 'refresh', count: 12, entered: 2, left: 0 },
    { at: '2026-11-20T13:00:00.000000Z', version: 1, cause: 'refresh', count: 11, entered: 1, left: 0 },
    { at: '2026-11-20T12:00:00.000000Z', version: 1, cause: 'refresh', count: 10, entered: 0, left: 0 },
  ]);
});

test('the history has the evaluations from since on and before until', async () => {
  const times = async (query: string) =>
    (await page(`${AUDIENCE}/history?${query}`)).history.map(({ at }) => at.slice(11, 13));

  expect(await times('since=2026-11-20T13:00:00Z')).toEqual(['14', '13']);
  expect(await times('until=2026-11-20T13:00:00Z')).toEqual(['12']);
  expect(await times('since=2026-11-20T13:00&until=2026-11-20T14:00')).toEqual(['13']);
});

test('pages of versions and of the history continue where the one before ended', async () => {
  const whole = await page(`${AUDIENCE}/history`);
  const versions = await page(`${AUDIENCE}/versions`);

  expect(await pages(`${AUDIENCE}/versions?limit=1`, 'versions')).toEqual(versions.versions);
  expect(await pages(`${AUDIENCE}/history?limit=2`, 'history')).toEqual(whole.history);
  expect(await pages(`${AUDIENCE}/history?limit=1&until=2026-11-20T14:00:00Z`, 'history')).toEqual(
    whole.history.slice(1),
  );
});

test('a cursor of another audience is 400', async () => {
  const versions = await page(`${AUDIENCE}/versions?limit=1`);
  const history = await page(`${AUDIENCE}/history?limit=1`);

  for (const path of [`versions?cursor=${versions.next_cursor}`, `history?cursor=${history.next_cursor}`]) {
    expect(await get(`${OTHER}/${path}`), path).toMatchObject({ status: 400 });
  }
});
