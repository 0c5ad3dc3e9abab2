import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliRun } from '../support/cli-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a command', () => {
  test.each([
    ['key create', ['key', 'create', 'A', '--project', 'B', '--scope', 'write']],
    ['key list', ['key', 'list', 'A', '--project', 'B']],
    ['project set', ['project', 'set', 'A', '--project', 'B', '--name', 'C']],
    ['audience list', ['audience', 'list', 'A', '--project', 'B']],
  ])('%s that names two projects is used wrongly', async (_, words) => {
    const command = new CliRun(words, { env: { DATA_DIR: join(await temporaryFolder(), 'none') } });

    expect(await command.code).toBe(2);
    expect(command.err).toContain('A and --project B');
  });

  test.runIf(existsSync('/dev/full'))('a command whose output finds no room on the disk says so in one line', () => {
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;

    const { status, stderr } = spawnSync(process.execPath, ['services/cli/tidemark.ts', '--version'], {
      stdio: [...stdio],
      encoding: 'utf8',
    });

    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: .*ENOSPC.*\n$/);
  });
});
