import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = new URL('../support/ingest-cluster-program.ts', import.meta.url).pathname;

async function whereTheFirstEnds(how: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, how], { timeout: 30_000 });
  return stdout;
}

test('another takes the place of a process of ingest that is killed before it is ready', async () => {
  expect(await whereTheFirstEnds('SIGKILL')).toBe('ready');
});

test('ingest cannot start where one of its processes says that it cannot', async () => {
  expect(await whereTheFirstEnds('3')).toBe('a process of ingest ended before it was ready, with 3');
});
