import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = new URL('../support/programs/ingest-cluster-program.ts', import.meta.url).pathname;

async function whereTheFirst(count: number, how: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, String(count), how], { timeout: 30_000 });
  return stdout;
}

test.each([1, 2])('processes of ingest, %i of 2, that are killed before they are ready are replaced', async (count) => {
  expect(await whereTheFirst(count, 'SIGKILL')).toBe('ready');
});

test('ingest does not start where one of its processes exits before it is ready', async () => {
  expect(await whereTheFirst(1, '3')).toBe('a process of ingest ended before it was ready, with 3');
});
