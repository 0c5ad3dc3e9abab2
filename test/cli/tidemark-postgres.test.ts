import { describe, expect, onTestFinished, test } from 'vitest';
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
