import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { userNumber } from '../../services/stores/analytics/columns.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { READ_KEY, ReadingServer } from '../support/http/reading-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: ReadingServer;

beforeAll(async () => (server = await ReadingServer.start()));
afterAll(() => server.stop());

function run(...args: string[]): CliRun {
  return new CliRun(['user', ...args, '--url', server.url], { env: { TIDEMARK_KEY: READ_KEY } });
}

test('user show prints the profile with every digit of its numbers', async () => {
  await server.addProfile('a/b ü', { traits: '{"n":12345678901234567890}' });

  const profile = run('show', 'a/b ü');
  const unknown = run('show', 'nobody');

  expect([await profile.code, await unknown.code]).toEqual([0, 1]);
  expect(profile.out).toContain('"n": 12345678901234567890');
  expect(unknown.err).toContain('No user of this project is known by this id. (404)');
});

test('user find prints a line for each user who has the text, and keeps the digits in JSON', async () => {
  const ada = await server.addProfile('u-1', { traits: '{"name":"Ada Lovelace","n":12345678901234567890}' });
  const other = await server.addProfile('lovelace-2');
  const keys = [ada, other].map(({ userKey }) => userKey);
  const { answer } = server.analytics;
  onTestFinished(() => void (server.analytics.answer = answer));
  server.analytics.answer = ({ sql }) => {
    const isFirst = sql.includes('user_number');
    const inOrder = keys.toSorted((a, b) => (BigInt(userNumber(a)) < BigInt(userNumber(b)) ? -1 : 1));
    const rows = isFirst
      ? inOrder.map((key) => ({ user_number: userNumber(key), source: '0' }))
      : keys.map((key) => ({ internal_id: key }));
    return { rows, tookMs: 1, rowsRead: 2, bytesRead: 3 };
  };

  const found = run('find', 'LOVELACE');
  const json = run('find', 'LOVELACE', '--json');
  const one = run('find', 'LOVELACE', '--limit', '1');

  expect([await found.code, await json.code, await one.code]).toEqual([0, 0, 0]);
  expect(found.lines).toEqual([expect.stringMatching(/^u-1 {2}\{.*"name":"Ada Lovelace"/), 'lovelace-2  {}']);
  expect(json.out).toContain('"n": 12345678901234567890');
  expect([one.lines.length, one.err]).toEqual([1, 'There are more: raise --limit.\n']);
});

test('user events prints the newest events, of one name where it is given', async () => {
  for (let n = 0; n < 130; n++) server.addEvent('eve', { event: n % 2 === 0 ? 'Even' : 'Odd', messageId: `m${n}` });

  const few = run('events', 'eve', '--event', 'Odd', '--limit', '2');
  const all = run('events', 'eve', '--limit', '1000', '--json');

  expect([await few.code, await all.code]).toEqual([0, 0]);
  expect(few.lines).toEqual([expect.stringMatching(/Odd {2}\{/), expect.stringMatching(/Odd {2}\{/)]);
  expect(few.err).toContain('There are more: raise --limit.');
  const { events, next_cursor: next } = JSON.parse(all.out) as { events: unknown[]; next_cursor: string | null };
  expect([events.length, next]).toEqual([130, null]);
  expect(all.err).toBe('');
});

test('user export prints everything about a person, or writes it to a file that is theirs alone', async () => {
  await server.addProfile('fay', { traits: '{"n":12345678901234567890}' });
  for (let n = 0; n < 1_100; n++) server.addEvent('fay', { messageId: `f${n}` });
  const file = `${await temporaryFolder()}/fay.ndjson`;

  const printed = run('export', 'fay');
  const written = run('export', 'fay', '--out', file);

  expect([await printed.code, await written.code]).toEqual([0, 0]);
  expect(printed.lines).toHaveLength(1_102);
  expect(printed.out).toContain('12345678901234567890');
  expect(printed.lines.at(-1)).toBe('{"type":"end","lines":1101}');
  expect(readFileSync(file, 'utf8')).toBe(printed.out);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect([written.out, existsSync(`${file}.part`)]).toEqual(['', false]);
});

test('user export of nobody, or of an id of no kind, fails and writes no file', async () => {
  const file = `${await temporaryFolder()}/nobody.ndjson`;

  const nobody = run('export', 'nobody', '--out', file);
  const kind = run('export', 'fay', '--by', 'email');

  expect([await nobody.code, await kind.code]).toEqual([1, 1]);
  expect(nobody.err).toContain('No user of this project is known by this id. (404)');
  expect(kind.err).toContain('by must be one of user_id, anonymous_id, internal_id');
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
});

test.each([
  ['without its last line', '{"type":"profile"}\n'],
  ['with fewer lines than its last one says', '{"type":"end","lines":1}\n'],
])('user export %s fails and leaves no file', async (_, body) => {
  const cut = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void cut.close());
  const file = `${await temporaryFolder()}/cut.ndjson`;
  const url = `http://127.0.0.1:${(cut.address() as AddressInfo).port}`;

  const broken = new CliRun(['user', 'export', 'fay', '--out', file, '--url', url], {
    env: { TIDEMARK_KEY: READ_KEY },
  });

  expect(await broken.code).toBe(1);
  expect(broken.err).toContain('The export broke off before its end.');
  expect(existsSync(file)).toBe(false);
});
