import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Finished, runProgram } from '../support/service/program.ts';
import { spawnProgram } from '../support/service/spawn-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Most tests make the stores of an installation, which takes a minute on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const NOWHERE = {
  EVENT_LOG_URL: 'kafka://127.0.0.1:9',
  PROFILES_URL: 'postgres://a:b@127.0.0.1:9/x',
  ANALYTICS_URL: 'http://a:b@127.0.0.1:9/x',
};

/** Levels and codes of the fatal lines. */
function fatalsOf({ stdout }: Finished): unknown[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const parsed = lines.map((line) => JSON.parse(line) as { level: string; code?: string; err?: unknown });
  return parsed.filter(({ level }) => level === 'fatal').map(({ code, err }) => [code, err]);
}

async function takenPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

describe('a port that is taken', () => {
  test.each([
    ['all', {}],
    ['ingest', NOWHERE],
    ['ingest', { ...NOWHERE, INGEST_PROCESSES: '2' }],
    ['projector', NOWHERE],
  ])('a taken port ends the role %s with one line, and leaves nothing behind (%j)', async (role, settings) => {
    const folder = await temporaryFolder();
    const env = { PORT: await takenPort(), DATA_DIR: join(folder, 'data'), SPOOL_DIR: join(folder, 'spool') };

    const finished = await runProgram(['services/main.js', role], { ...env, ...settings });

    expect([finished.code, fatalsOf(finished)], finished.stdout).toEqual([1, [['ADDRESS_IN_USE', undefined]]]);
    expect(finished.stdout).toContain('PORT');
    expect(await readdir(folder)).toEqual([]);
  });

  test('a taken port is told from an address that this machine does not have', async () => {
    const folder = await temporaryFolder();
    const env = { PORT: '0', HOST: '203.0.113.9', DATA_DIR: join(folder, 'data') };

    const finished = await runProgram(['services/main.js'], env);

    expect([finished.code, fatalsOf(finished)]).toEqual([1, [['CONFIG_INVALID', undefined]]]);
    expect(await readdir(folder)).toEqual([]);
  });
});

interface Started {
  readonly lines: readonly string[];
  readonly address: string;
}

/** What a start prints until it has said that it is ready, and what it prints while it stops. */
async function linesOfStart(data: string, ...options: string[]): Promise<Started> {
  const program = spawnProgram([...options, 'services/main.js'], { PORT: '0', DATA_DIR: data });
  const lines: string[] = [];
  let address = '';
  for (let line = await program.line(); line !== undefined; line = await program.line()) {
    lines.push(line);
    const entry = line.startsWith('{') ? (JSON.parse(line) as { msg?: string; address?: string }) : {};
    if (entry.msg !== 'ready') continue;
    address = entry.address ?? '';
    // What follows in the same turn is printed before the signal has any effect.
    program.child.kill('SIGINT');
  }
  await program.kill();
  return { lines, address };
}

// As `umask 000` in the shell. A thread of its own cannot set it.
const UMASK = 'data:text/javascript,import{isMainThread}from"node:worker_threads";if(isMainThread)process.umask(0)';

describe('a first start', () => {
  let folder: string;
  let data: string;
  let first: Started;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    data = join(folder, 'data');
    first = await linesOfStart(data, '--import', UMASK);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the data folder is its owner’s alone, with everything in it, whatever the umask was', async () => {
    const names = await readdir(data, { recursive: true });
    const modes = await Promise.all(
      names.map(async (name) => ({ name, stats: await lstat(join(data, name)).catch(() => undefined) })),
    );
    // Postgres in WebAssembly gives its files a mode of its own, in a folder that is closed.
    const ours = modes.filter(({ name }) => !name.startsWith('profiles/cluster/'));
    const exposed = ours.filter(({ stats }) => stats && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0);

    expect(names.length).toBeGreaterThan(10);
    expect(exposed.map(({ name }) => name)).toEqual([]);
  });

  test('the first start, and each start on a terminal, says in plain lines what it does and where to go on', async () => {
    const plain = (lines: readonly string[]): string => lines.filter((line) => !line.startsWith('{')).join('\n');

    const piped = await linesOfStart(data);
    const onTerminal = await linesOfStart(data, '--import', 'data:text/javascript,process.stdout.isTTY=true');

    expect(first.lines[0]).toMatch(
      /^Starting Tidemark \S+ on a free port of 127\.0\.0\.1; the first start makes its stores/,
    );
    expect(plain(first.lines)).toContain('./tidemark key create');
    expect(plain(piped.lines)).toBe('');
    expect(onTerminal.lines[0]).toMatch(
      /^Starting Tidemark \S+ on .*; it opens its stores, which takes a second or two\.$/,
    );
    expect(plain(onTerminal.lines)).toContain(`is ready at ${onTerminal.address}\n  Projects       "default"\n`);
    expect(plain(onTerminal.lines)).toContain(`  API reference  ${onTerminal.address}/docs\n`);
  });
});

describe('the data folder', () => {
  test.each([
    ['DATA_DIR', 'services/main.js', []],
    ['SPOOL_DIR', 'services/main.js', []],
    ['BACKUP_DIR', 'services/main.js', []],
    ['DATA_DIR', 'services/cli/tidemark.js', ['project', 'list']],
  ])(
    'a folder that others may read is refused, with the command that closes it (%s, %s)',
    async (setting, program, args) => {
      const folder = await temporaryFolder();
      const exposed = join(folder, 'exposed');
      await mkdir(exposed);
      await writeFile(join(exposed, 'something'), '');
      await chmod(exposed, 0o755);
      const env = { PORT: '0', DATA_DIR: join(folder, 'data'), [setting]: exposed };

      const { code, stdout, stderr } = await runProgram([program, ...args], env);

      expect(code).toBe(1);
      expect(stdout + stderr).toContain('FOLDER_EXPOSED');
      expect(stdout + stderr).toContain(`chmod -R go-rwx ${exposed}`);
      expect(existsSync(join(folder, 'data'))).toBe(false);
    },
  );
});
