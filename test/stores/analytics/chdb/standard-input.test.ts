import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SCRIPT = new URL('../../../support/chdb-insert-process.ts', import.meta.url);

test('what stands on the standard input of the process is no part of an insert, and is not waited for', async () => {
  const folder = await temporaryFolder();

  const running = promisify(execFile)(process.execPath, [SCRIPT.pathname, `chdb:${folder}`], { timeout: 60_000 });
  // Never ended: the process may not wait for more.
  running.child.stdin?.write('not for analytics\n');

  expect((await running).stdout).toBe('1');
});
