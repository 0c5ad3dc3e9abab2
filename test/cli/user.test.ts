import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliRun } from '../support/cli-run.ts';
import { READ_KEY, ReadingServer } from '../support/reading-server.ts';

let server: ReadingServer;

beforeAll(async () => (server = await ReadingServer.start()));
afterAll(() => server.stop());

function run(...args: string[]): CliRun {
  return new CliRun(['user', ...args, '--url', server.url], { env: { TIDEMARK_KEY: READ_KEY } });
}

test('user show prints the profile with every digit of its numbers', async () => {
  server.addProfile('a/b ü', { traits: '{"n":12345678901234567890}' });

  const profile = run('show', 'a/b ü');
  const unknown = run('show', 'nobody');

  expect([await profile.code, await unknown.code]).toEqual([0, 1]);
  expect(profile.out).toContain('"n": 12345678901234567890');
  expect(unknown.err).toContain('No user of this project is known by this id. (404)');
});

test('user events prints the newest events, of one name where it is given', async () => {
  for (let n = 0; n < 130; n++) server.addEvent('eve', { event: n % 2 === 0 ? 'Even' : 'Odd', messageId: `m${n}` });

  const few = run('events', 'eve', '--event', 'Odd', '--limit', '2');
  const all = run('events', 'eve', '--limit', '1000', '--json');

  expect([await few.code, await all.code]).toEqual([0, 0]);
  expect(few.lines).toEqual([expect.stringMatching(/Odd {2}\{/), expect.stringMatching(/Odd {2}\{/)]);
  expect(few.err).toContain('There are more: raise --limit.');
  expect(JSON.parse(all.out)).toHaveLength(130);
  expect(all.err).toBe('');
});
