/** A disk that is full, and a reader that has left, under each kind of output. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { recordOf, track } from '../support/messages/messages.ts';
import { ADMIN_KEY, PROJECT, ReadingServer } from '../support/http/reading-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
  for (const topic of ['tidemark.identify', 'tidemark.track', 'tidemark.session']) server.recorded.records(topic, 0);
  await server.addProfile('ada', { traits: '{"plan":"pro"}' });
  for (let n = 0; n < 3_000; n++) server.addEvent('ada', { messageId: `m${n}` });
});
afterAll(() => server.stop());

const TIDEMARK = `"${process.execPath}" services/cli/tidemark.ts`;

/** @param redirection The shell's, as `> /dev/full`. */
function tidemark(words: string, redirection: string): Promise<{ readonly code: number; readonly err: string }> {
  const where = words.startsWith('-') || words.startsWith('completion') ? '' : `--url ${server.url} --key ${ADMIN_KEY}`;
  return shell(`${TIDEMARK} ${words} ${where} ${redirection}`);
}

async function shell(script: string): Promise<{ readonly code: number; readonly err: string }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const err = text(child.stderr);
  const [code] = (await once(child, 'close')) as [number];
  return { code, err: await err };
}

/** Messages that arrive until the test ends. */
function appending(): void {
  const message = recordOf(track({ projectId: PROJECT.id, userId: 'ada', event: 'Paid' }));
  const timer = setInterval(() => server.recorded.put('tidemark.track', 0, message), 100);
  onTestFinished(() => clearInterval(timer));
}

const OF_ADA = `ada --project ${PROJECT.id}`;
const ONE_LINE = /^error: the output cannot be written: .*ENOSPC.*\n$/;

describe.runIf(existsSync('/dev/full'))('a full disk', { timeout: 60_000 }, () => {
  test.each([
    ['--help'],
    ['--version'],
    ['completion bash'],
    ['key create --help'],
    ['project list'],
    ['project list --json'],
    ['key list'],
    ['dead-letters list'],
    ['replay status --json'],
    ['status'],
    ['status --json'],
    [`user show ${OF_ADA}`],
    [`user events ${OF_ADA} --limit 5000`],
    [`user export ${OF_ADA}`],
    [`audience list ${PROJECT.id}`],
  ])('a full disk under the output of %s is one line on standard error, and exit code 1', async (words) => {
    const { code, err } = await tidemark(words, '> /dev/full');

    expect(err).toMatch(ONE_LINE);
    expect(code).toBe(1);
  });

  test('a full disk under the lines of tail ends it with one line', async () => {
    appending();

    const { code, err } = await tidemark(`tail --json --project ${PROJECT.id}`, '> /dev/full');

    expect(err.replace(/^Waiting for messages .*\n/, '')).toMatch(ONE_LINE);
    expect(code).toBe(1);
  });

  test('a full disk under standard error alone lets the command go on', async () => {
    appending();

    const { err } = await tidemark(`tail --json --project ${PROJECT.id}`, '2> /dev/full | head -1 >&2');

    expect(JSON.parse(err)).toMatchObject({ type: 'track', user_id: 'ada' });
  });

  test('a command whose words found no room under standard error exits with 1', async () => {
    const { code } = await tidemark(`user events ${OF_ADA}`, '2> /dev/full');

    expect(code).toBe(1);
  });
});

test('an export whose file has no room for its end fails with one line, and leaves no file', async () => {
  const file = join(await temporaryFolder(), 'ada.ndjson');
  // In one piece. Blocks of ulimit have 512 or 1,024 bytes, and the write that reaches its limit writes in part.
  const body = `{"type":"profile","traits":"${'x'.repeat(1_500)}"}\n{"type":"end","lines":1}\n`;
  const url = await answering(body);

  const { code, err } = await shell(
    `trap '' XFSZ; ulimit -f 1; exec ${TIDEMARK} user export ada --out ${file} --url ${url} --key ${ADMIN_KEY}`,
  );

  expect(err).toMatch(/^error: EFBIG.*\n$/);
  expect({ code, left: [file, `${file}.part`].filter((path) => existsSync(path)) }).toEqual({ code: 1, left: [] });
});

async function answering(body: string): Promise<string> {
  const whole = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => whole.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void whole.close());
  return `http://127.0.0.1:${(whole.address() as AddressInfo).port}`;
}

test.each([`user export ${OF_ADA}`, '--help'])('%s whose reader has left ends quietly', async (words) => {
  const { err } = await tidemark(words, '| head -1');

  expect(err).toBe('');
});
