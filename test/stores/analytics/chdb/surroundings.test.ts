import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SCRIPT = new URL('../../../support/programs/chdb-insert-process.ts', import.meta.url);

/** The process that inserts one message into a new store, under way. */
function insertOne(folder: string, cwd?: string) {
  return promisify(execFile)(process.execPath, [SCRIPT.pathname, `chdb:${folder}/store`], { timeout: 60_000, cwd });
}

test('what stands on the standard input of the process is no part of an insert, and is not waited for', async () => {
  const running = insertOne(await temporaryFolder());
  // Never ended: the process may not wait for more.
  running.child.stdin?.write('not for analytics\n');

  expect((await running).stdout).toBe('1');
});

test.each(['<clickhouse><max_server_memory_usage>1</max_server_memory_usage></clickhouse>', 'of another program'])(
  'a config.xml in the working directory is not read: %s',
  async (config) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'config.xml'), config);

    const running = insertOne(folder, folder);
    running.child.stdin?.end();

    expect((await running).stdout).toBe('1');
  },
);
