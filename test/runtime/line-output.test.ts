import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WRITER = join(import.meta.dirname, '../support/programs/line-writer.ts');

function start(stdout: 'pipe' | number, lines: number, waitMs = 300) {
  const child = spawn(process.execPath, [WRITER, String(lines), String(waitMs)], {
    stdio: ['ignore', stdout, 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, closed: once(child, 'exit') };
}

/** Writes to a pipe of the shell, as in `npm start | command`, instead of the socket that Node gives a child. */
function startPiped(lines: number, reader: string) {
  const script = `exec "$0" "$1" ${lines} 1000 > >(${reader})`;
  const child = spawn('bash', ['-c', script, process.execPath, WRITER], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, closed: once(child, 'exit') };
}

describe('lines on standard output', () => {
  test.each([1, 20_000])('%i lines are all written to a reader that reads, in order', async (lines) => {
    // Lines that a slow reader has not taken when the process ends are lost.
    const { child, closed } = start('pipe', lines, lines === 1 ? 300 : 3_000);
    let text = '';
    for await (const chunk of child.stdout ?? []) text += String(chunk);
    const limit = Math.min(lines, Math.floor(2 ** 20 / 100));
    expect(await closed).toEqual([0, null]);
    // Lines that exceed the buffer are dropped whole.
    expect(text.split('\n').length - 2).toBeGreaterThanOrEqual(limit);
    expect(text.split('\n').every((line) => line.length === 99 || line === 'last' || line === '')).toBe(true);
    expect(text.endsWith('last\n')).toBe(true);
  });

  test('lines are appended to a file', async () => {
    const path = join(await temporaryFolder(), 'log');
    for (let run = 1; run <= 2; run++) {
      const file = openSync(path, 'a');
      expect(await start(file, 10).closed).toEqual([0, null]);
      closeSync(file);
      expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(run * 11 + 1);
    }
  });

  test.each(['has gone', 'does not read'])(
    'lines that wait do not keep the process from ending when the reader of a socket %s',
    async (how) => {
      const { child, closed } = start('pipe', 20_000, 1_000);
      if (how === 'has gone') child.stdout?.destroy();
      expect(await closed).toEqual([0, null]);
    },
  );

  test.each(['true', 'sleep 20'])(
    'lines that wait do not keep the process from ending when the reader of a pipe, %s, does not read',
    async (reader) => {
      expect(await startPiped(20_000, reader).closed).toEqual([0, null]);
    },
  );
});
