import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runProgram, startProgram } from '../support/service/program.ts';
import { ENVIRONMENT } from '../support/service/spawn-program.ts';
import { newStores } from '../support/stores/new-stores.ts';
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

describe('keys of the first project', () => {
  /** The keys that a start prints until it is ready. */
  async function keysShown(data: string): Promise<{ address: string; keys: string[]; stop: () => Promise<void> }> {
    const program = startProgram(['services/main.js'], { PORT: '0', DATA_DIR: data });
    const keys: string[] = [];
    for (;;) {
      const line = await program.line();
      if (line === undefined) throw new Error('it ended');
      const key = /tm_[wr]_\w+$/.exec(line)?.[0];
      if (key !== undefined) keys.push(key);
      const { msg, address = '' } = line.startsWith('{')
        ? (JSON.parse(line) as { msg?: string; address?: string })
        : {};
      if (msg === 'ready') return { address, keys, stop: () => program.kill() };
    }
  }

  async function post(address: string, key = ''): Promise<number> {
    const headers = { api_key: key, 'content-type': 'application/json' };
    const body = '{"user_id":"ada","event":"Paid"}';
    return (await fetch(`${address}/v1/track`, { method: 'POST', headers, body })).status;
  }

  test('keys that a killed start did not show are replaced and shown by the next, and never again', async () => {
    const data = await temporaryFolder();
    await newStores(data);
    const env = { PORT: '0', DATA_DIR: data };
    const killed = await runProgram(['--import', './test/support/programs/kill-at-keys.ts', 'services/main.js'], env);
    expect([killed.code, /tm_[wr]_/.test(killed.stdout)]).toEqual([null, false]);

    const second = await keysShown(data);
    expect(second.keys).toHaveLength(2);
    expect(await post(second.address, second.keys[0])).toBe(200);
    await second.stop();
    const third = await keysShown(data);

    expect(third.keys).toEqual([]);
    expect(await post(third.address, second.keys[0])).toBe(200);
  });

  test('keys that were shown to nobody are replaced and shown by the next start', async () => {
    const data = await temporaryFolder();
    await newStores(data);
    const env = { ...ENVIRONMENT, PORT: '0', DATA_DIR: data };
    const unread = spawn(process.execPath, ['services/main.js'], { cwd: ROOT, env, stdio: 'ignore' });
    onTestFinished(() => void unread.kill('SIGKILL'));
    const socket = join(data, 'control.sock');
    await expect.poll(() => existsSync(socket), { timeout: 120_000 }).toBe(true);
    unread.kill('SIGTERM');
    await once(unread, 'exit');

    expect((await keysShown(data)).keys).toHaveLength(2);
  });
});
