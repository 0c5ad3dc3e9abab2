import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CliRun } from '../support/service/cli-run.ts';
import { READ_KEY, ReadingServer } from '../support/http/reading-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: ReadingServer;

beforeAll(async () => (server = await ReadingServer.start()));
afterAll(() => server.stop());

function run(...args: string[]): CliRun {
  return new CliRun(['user', ...args, '--url', server.url], { env: { TIDEMARK_KEY: READ_KEY } });
}

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

  expect([await nobody.code, await kind.code]).toEqual([1, 2]);
  expect(nobody.err).toContain('No user of this project is known by this id. (404)');
  expect(kind.err).toContain('Allowed choices are user_id, anonymous_id, internal_id.');
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
