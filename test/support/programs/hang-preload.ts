/**
 * Loaded into a service by NODE_OPTIONS (`--import`), in each of its threads: the one that HANG_THREAD names (`main`, `http`,
 * `writer`) computes without end once the file HANG_FILE is there, and
 * says so by a file HANG_FILE.begun.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

function nameOfThis(): string {
  if (isMainThread) return 'main';
  const data = workerData as object | null;
  if (data !== null && 'commands' in data) return 'http';
  return data !== null && 'gate' in data ? 'writer' : 'another';
}

const file = process.env['HANG_FILE'] ?? '';
if (nameOfThis() === process.env['HANG_THREAD']) {
  setInterval(() => {
    if (!existsSync(file)) return;
    writeFileSync(`${file}.begun`, '');
    for (;;);
  }, 50).unref();
}
