import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SYSTEM_CALLS = 'trace=write,writev,pwrite64,pwritev,fdatasync,openat';

describe('an append', () => {
  test.skipIf(!hasStrace())(
    'an append resolves after its pages and then the page that names them are on disk (strace)',
    async () => {
      const folder = await temporaryFolder();
      const trace = join(folder, 'trace');
      const appender = ['test/support/programs/event-log-appender.ts', `lmdb:${join(folder, 'log')}`, 't', 'v', '200'];

      execFileSync('strace', ['-f', '-e', SYSTEM_CALLS, '-s', '64', '-o', trace, process.execPath, ...appender], {
        stdio: 'ignore',
      });

      const calls = (await readFile(trace, 'utf8')).split('\n').filter((call) => !/unfinished/.test(call));
      const synchronous = /data\.mdb", O_WRONLY\|O_DSYNC[^=]*= (\d+)/.exec(calls.join('\n'))?.[1];
      const kinds = calls.map((call) => kindOf(call, synchronous)).filter((kind) => kind !== undefined);
      const acknowledged = kinds.indexOf('acknowledge');
      expect(kinds.filter((kind) => kind === 'acknowledge').length).toBeGreaterThan(10);
      expect(kinds.slice(acknowledged - 3, acknowledged)).toEqual(['pages', 'flush', 'root']);
      expect(kinds.filter((kind) => kind === 'root').length).toBeGreaterThan(5);
    },
  );
});

/** What a line of strace's means to an append; undefined where nothing. */
function kindOf(call: string, synchronous: string | undefined): string | undefined {
  if (/ write\(1, "t \d/.test(call)) return 'acknowledge';
  if (/ fdatasync\(\d+\)| fdatasync resumed/.test(call)) return 'flush';
  if (call.includes(` pwrite64(${synchronous},`)) return 'root';
  return /iov_len=4096|, 4096, \d+\) *= 4096/.test(call) ? 'pages' : undefined;
}

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true']);
    return true;
  } catch {
    return false;
  }
}
