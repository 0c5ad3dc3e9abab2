import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startProgram } from '../support/service/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Each makes the stores of an installation twice, which takes a minute on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const ROOT = join(import.meta.dirname, '../..');

describe('Ctrl-C during the first start', () => {
  /** What lies in the data folder when it comes, and so which phase it is. */
  test.each([
    ['while the stores are begun', ''],
    ['while the database is made', 'profiles'],
    ['while analytics is opened', 'analytics'],
  ])('Ctrl-C during the first start is no error, and the next start works: %s', async (_, phase) => {
    const data = join(await temporaryFolder(), 'data');
    const env = { PATH: process.env['PATH'], PORT: '0', DATA_DIR: data };
    const child = spawn(process.execPath, ['services/main.js'], { cwd: ROOT, env, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const { pid = 0 } = child;
    onTestFinished(() => void child.kill('SIGKILL'));
    const begun = () => existsSync(data) && (phase === '' || readdirSync(data).includes(phase));
    await expect.poll(begun, { timeout: 120_000, interval: 5 }).toBe(true);

    // From a terminal it reaches the whole group, and by npm a second time.
    process.kill(-pid, 'SIGINT');
    child.kill('SIGINT');
    await once(child, 'close');

    expect([child.exitCode, /fatal|\bat .*:\d+/.test(output)], output).toEqual([0, false]);
    const again = startProgram(['services/main.js'], { PORT: '0', DATA_DIR: data });
    let line = await again.line();
    while (line !== undefined && !line.includes('"ready"')) line = await again.line();
    expect(line).toContain('"ready"');
  });
});
