import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Interrupted } from '../../services/cli/context.ts';
import { runCli } from '../../services/cli/run-cli.ts';
import { hashKey } from '../../services/stores/projects/keys.ts';
import type { ProjectSummary } from '../../services/stores/projects/project-commands.ts';
import { type FolderLock, lockFolder } from '../../services/runtime/folder-lock.ts';
import { serveAdmin } from '../support/http/admin-server.ts';
import { runProgram, startProgram, type Finished } from '../support/service/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TIDEMARK = 'services/cli/tidemark.ts';

test('tidemark uses the compile cache of the service', async () => {
  const sayWhere =
    'data:text/javascript,import m from "node:module";process.on("exit",()=>console.log(m.getCompileCacheDir()))';

  const { stdout } = await runProgram(['--import', sayWhere, TIDEMARK, '--help'], { NODE_COMPILE_CACHE: undefined });

  expect(stdout).toContain(join(import.meta.dirname, '../../node_modules/.cache/tidemark'));
});

describe('tidemark where no service runs', () => {
  test(
    'tidemark creates projects and keys in the stores of the data folder, and releases its lock',
    { timeout: 60_000 },
    async () => {
      const dataDir = join(await temporaryFolder(), 'data');

      const made = await tidemark(dataDir, 'project', 'create', 'Shop', '--rate-limit', '5', '--json');
      const { id } = JSON.parse(made.stdout) as ProjectSummary;
      const key = await tidemark(dataDir, 'key', 'create', id, '--scope', 'write');
      const list = await tidemark(dataDir, 'key', 'list', id);

      expect([made, key, list].map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(made.stderr).toBe('');
      expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Shop', timezone: 'UTC', rate_limit: 5 });
      expect(key.stdout).toMatch(/^tm_w_\w{43}\n$/u);
      expect(list.stdout).toMatch(new RegExp(`^key_\\w+ +${id} +write`, 'mu'));
      expect(list.stdout).not.toContain(key.stdout.trim());
    },
  );

  test('a command that only lists creates no data folder', async () => {
    const dataDir = join(await temporaryFolder(), 'data');

    const { code, stderr } = await tidemark(dataDir, 'project', 'list');

    expect(code).toBe(1);
    expect(stderr).toContain('CONFIG_INVALID');
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a data folder whose path is too long for the control socket is an error that says so', async () => {
    const dataDir = join(await temporaryFolder(), 'd'.repeat(200));
    await mkdir(dataDir);

    const { code, stderr } = await tidemark(dataDir, 'project', 'list');

    expect(code).toBe(1);
    expect(stderr).toContain('CONFIG_INVALID');
  });
});

describe('tidemark beside a running service', () => {
  test('a command beside a running service is carried out by the service', async () => {
    const { dataDir, store } = await service();

    const made = await tidemark(dataDir, 'project', 'create', 'Zoë 🌊');
    const [project] = await store.listProjects();
    const key = await tidemark(dataDir, 'key', 'create', project!.id, '--scope', 'read');

    expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Zoë 🌊') as string });
    expect(project).toMatchObject({ name: 'Zoë 🌊', timezone: 'Asia/Tokyo' });
    expect((await store.listKeys()).map(({ sha256 }) => sha256)).toEqual([hashKey(key.stdout.trim())]);
  });

  test('a project is named by its id or name, by --project or in the old place', async () => {
    const { dataDir, store } = await service();
    const { id } = await store.createProject({ name: 'My shop', timezone: 'UTC', rateLimit: 5 });

    const only = await tidemark(dataDir, 'key', 'create', '--scope', 'read');
    await store.createProject({ name: 'Other', timezone: 'UTC', rateLimit: 5 });
    const named = await tidemark(dataDir, 'key', 'create', '--project', 'My shop', '--scope', 'read');
    const listed = await tidemark(dataDir, 'key', 'list', 'My shop', '--json');
    const set = await tidemark(dataDir, 'project', 'set', '--project', 'My shop', '--rate-limit', '7');
    const unclear = await tidemark(dataDir, 'key', 'create', '--scope', 'read');

    expect([only, named, listed, set, unclear].map(({ code }) => code)).toEqual([0, 0, 0, 0, 2]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ keys: [{ project_id: id }, { project_id: id }] });
    expect(await store.listProjects()).toContainEqual(expect.objectContaining({ id, rateLimit: 7 }));
    expect(unclear.stderr).toContain('Say which project by --project');
  });

  test('an error of the service is printed', async () => {
    const { dataDir, database } = await service();
    database.unreachable = true;

    const { code, stdout, stderr } = await tidemark(dataDir, 'project', 'list');

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('STORE_UNAVAILABLE');
  });

  test('a command waits for a service that is still starting', async () => {
    const dataDir = await temporaryFolder();
    lock(dataDir);
    let out = '';
    const context = { env: { DATA_DIR: dataDir }, out: (text: string) => void (out += text), err: () => undefined };
    const asking = runCli(['project', 'list', '--json'], context);
    // After the command line's own attempt, so that both have failed.
    await once(connect(join(dataDir, 'control.sock')), 'error');

    await serveAdmin(dataDir, {});

    expect(await asking).toBe(0);
    expect(JSON.parse(out)).toEqual({ projects: [], next_cursor: null });
  });
});

describe('tidemark interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s has the service give up, and exits %d', async (signal, exitCode) => {
    const dataDir = await temporaryFolder();
    lock(dataDir);
    const [asked, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await serveAdmin(dataDir, {
      commands: {
        'dead-letters drop': (_, call) => {
          asked.resolve();
          return new Promise((_resolve, reject) => {
            call.signal.addEventListener('abort', () => {
              aborted.resolve();
              reject(call.signal.reason);
            });
          });
        },
      },
    });
    const { child } = startProgram([TIDEMARK, 'dead-letters', 'drop', '--all'], { DATA_DIR: dataDir });
    await asked.promise;

    child.kill(signal);

    const [code] = (await once(child, 'exit')) as [number];
    await aborted.promise;
    expect(code).toBe(exitCode);
  });

  test('a command that is interrupted while it waits for a starting service exits too', async () => {
    const dataDir = await temporaryFolder();
    lock(dataDir);
    const ending = new AbortController();
    const context = { env: { DATA_DIR: dataDir }, out: () => undefined, err: () => undefined, signal: ending.signal };
    const asking = runCli(['project', 'list'], context);

    ending.abort(new Interrupted(130));

    expect(await asking).toBe(130);
  });
});

describe('tidemark used wrongly', () => {
  test.each([
    ['no command', []],
    ['an unknown command', ['project', 'destroy']],
    ['a missing argument', ['key', 'revoke']],
    ['a missing scope', ['key', 'create', 'proj_x']],
    ['an unknown scope', ['key', 'create', 'proj_x', '--scope', 'owner']],
    ['an admin key of a project', ['key', 'create', 'proj_x', '--scope', 'admin']],
    ['an admin key with another scope', ['key', 'create', '--scope', 'admin', '--scope', 'read']],
    ['a rate limit of 0', ['project', 'create', 'x', '--rate-limit', '0']],
    ['an unknown option', ['project', 'list', '--yaml']],
  ])('tidemark exits with 2 on %s and touches nothing', async (_, args) => {
    const dataDir = join(await temporaryFolder(), 'data');

    const { code, stdout, stderr } = await tidemark(dataDir, ...args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
    expect(existsSync(dataDir)).toBe(false);
  });

  test('tidemark exits with 2 where the command refuses its arguments', async () => {
    const { dataDir } = await service();

    const { code, stderr } = await tidemark(dataDir, 'project', 'create', 'x', '--timezone', 'Mars/Olympus');

    expect(code).toBe(2);
    expect(stderr).toContain('COMMAND_INVALID');
  });

  test('tidemark exits with 0 after printing help', async () => {
    const { code, stdout } = await tidemark(await temporaryFolder(), 'key', 'create', '--help');

    expect(code).toBe(0);
    expect(stdout).toContain('--scope');
  });

  test('tidemark names every wrong setting and exits with 1', async () => {
    const dataDir = await temporaryFolder();

    const { code, stderr } = await runProgram([TIDEMARK, 'project', 'list'], {
      DATA_DIR: dataDir,
      PORT: 'x',
      HOST: '',
    });

    expect(code).toBe(1);
    expect(stderr).toContain('CONFIG_INVALID');
  });
});

function tidemark(dataDir: string, ...args: readonly string[]): Promise<Finished> {
  return runProgram([TIDEMARK, ...args], { DATA_DIR: dataDir });
}

/** A service as the command line sees it: it has locked the data folder and answers on the socket. */
async function service() {
  const dataDir = await temporaryFolder();
  lock(dataDir);
  const { database, projects: store } = await serveAdmin(dataDir, {});
  return { dataDir, database, store };
}

function lock(dataDir: string): FolderLock {
  const held = lockFolder(dataDir);
  onTestFinished(() => held.release());
  return held;
}
