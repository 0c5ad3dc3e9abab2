/** Commands that the console prints take the key that is signed in: one of a project names the project. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUDIENCES_KEY, READ_KEY, ReadingServer, WRITE_KEY } from '../support/http/reading-server.ts';
import { CliRun } from '../support/service/cli-run.ts';

let reading: ReadingServer;

beforeAll(async () => (reading = await ReadingServer.start()));
afterAll(() => reading.stop());

async function run(key: string, ...args: string[]): Promise<CliRun & { readonly ended: number }> {
  const one = new CliRun([...args, '--url', reading.url], { env: { TIDEMARK_KEY: key } });
  return Object.assign(one, { ended: await one.code });
}

test('a read key reads audiences, and one with the scope audiences makes webhooks of them', async () => {
  const saved = await run(AUDIENCES_KEY, 'audience', 'save', 'Gold', '{"trait":"tier","is":"gold"}');
  expect(saved.ended, saved.err).toBe(0);
  const { id } = JSON.parse(saved.out) as { readonly id: string };

  const read = [
    await run(READ_KEY, 'audience', 'list'),
    await run(READ_KEY, 'audience', 'members', id, '--format', 'csv'),
    await run(READ_KEY, 'audience', 'changes', id),
    await run(AUDIENCES_KEY, 'endpoint', 'list'),
    await run(AUDIENCES_KEY, 'endpoint', 'create', '--audience', id, 'https://example.com/hook'),
  ];

  expect(read.map(({ ended, err }) => [ended, err])).toEqual(read.map(({ err }) => [0, err]));
});

test('a key of another scope is told which one is needed', async () => {
  const cases = [
    ['read', await run(WRITE_KEY, 'audience', 'list')],
    ['audiences', await run(READ_KEY, 'audience', 'save', 'Not mine', '{"trait":"tier","is":"gold"}')],
    ['audiences', await run(READ_KEY, 'pin', 'set', 'Orders', 'events')],
    ['read', await run(WRITE_KEY, 'watch', 'list')],
    ['flags', await run(WRITE_KEY, 'user', 'memberships', 'ada')],
    ['read', await run(WRITE_KEY, 'audience', 'preview', '{"trait":"tier","is":"gold"}')],
    ['admin', await run(READ_KEY, 'key', 'list')],
  ] as const;

  for (const [scope, { ended, err }] of cases) {
    expect(ended, err).toBe(2);
    expect(err).toMatch(new RegExp(`its scope is not ${scope}\\..*--scope ${scope} `));
  }
});

test('what a definition most likely does not mean is said on standard error, beside the answer', async () => {
  reading.analytics.answer = () => ({
    rows: [{ count: '0', users: [] }],
    tookMs: 1,
    rowsRead: 0,
    bytesRead: 0,
  });

  const preview = await run(READ_KEY, 'audience', 'preview', '{"trait":"signed_up","gte":"90d"}');

  expect(preview.ended, preview.err).toBe(0);
  expect(JSON.parse(preview.out)).toMatchObject({ count: 0 });
  expect(preview.err).toContain('/definition/gte');
});
