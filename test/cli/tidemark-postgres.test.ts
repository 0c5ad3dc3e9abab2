import { describe, expect, onTestFinished, test } from 'vitest';
import type { ProjectSummary } from '../../services/stores/projects/project-commands.ts';
import { serverUrl } from '../servers/server.ts';
import { freshDatabase } from '../support/stores/fresh-database.ts';
import { PostgresBench } from '../support/stores/postgres.ts';
import { type Finished, runProgram } from '../support/service/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('tidemark on a Postgres server', () => {
  const bench = new PostgresBench(server);

  async function tidemark(url: string, ...args: readonly string[]): Promise<Finished> {
    const env = { PROFILES_URL: url, DATA_DIR: `${await temporaryFolder()}/none` };
    return runProgram(['services/cli/tidemark.ts', ...args], env);
  }

  test('tidemark creates, changes and lists projects and keys in Postgres without a service', async () => {
    const made = await tidemark(bench.url, 'project', 'create', 'Shop', '--json');
    const { id } = JSON.parse(made.stdout) as ProjectSummary;
    const key = await tidemark(bench.url, 'key', 'create', id, '--scope', 'read');
    const set = await tidemark(bench.url, 'project', 'set', id, '--rate-limit', '7');
    const list = await tidemark(bench.url, 'key', 'list', id);

    expect([made, key, set, list].map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect([made, set, list].map(({ stderr }) => stderr)).toEqual(['', '', '']);
    expect(key.stdout).toMatch(/^tm_r_\w{43}\n$/u);
    expect(list.stdout).toMatch(new RegExp(`^key_\\w+ +${id} +read`, 'mu'));
    expect(await bench.ask('select name, rate_limit from projects')).toEqual([{ name: 'Shop', rate_limit: 7 }]);
  });

  test('of many commands that start on an empty database at once, every one succeeds', async () => {
    const { url, drop } = await freshDatabase(bench.url);
    onTestFinished(drop);

    const made = await Promise.all(['a', 'b', 'c'].map((name) => tidemark(url, 'project', 'create', name)));

    expect(made.map(({ code }) => code)).toEqual([0, 0, 0]);
  });

  test('tidemark prints in one line why Postgres cannot be used, and never the password', async () => {
    const { code, stdout, stderr } = await tidemark(bench.changed({ password: 'sesame' }), 'project', 'list');

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*\(SERVER_DENIED\)\n$/u);
    expect(stderr).not.toContain('sesame');
  });
});
