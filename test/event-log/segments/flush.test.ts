import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SYSTEM_CALLS = 'trace=write,writev,pwrite64,pwritev,fdatasync,openat';
const APPENDER = 'test/support/programs/event-log-appender.ts';

describe('an append to a log of segments', () => {
  test.skipIf(!hasStrace())(
    'an append resolves after its frame is on disk, and then the head says so (strace)',
    async () => {
      const folder = await temporaryFolder();
      const trace = join(folder, 'trace');
      const appender = [APPENDER, `log:${join(folder, 'log')}`, 't', 'v', '200'];

      execFileSync('strace', ['-f', '-e', SYSTEM_CALLS, '-s', '64', '-o', trace, process.execPath, ...appender], {
        stdio: 'ignore',
      });

      const calls = (await readFile(trace, 'utf8')).split('\n').filter((call) => !/unfinished/.test(call));
      const kinds = calls.map(kindOf).filter((kind) => kind !== undefined);
      const acknowledged = kinds.indexOf('acknowledge');
      expect(kinds.filter((kind) => kind === 'acknowledge').length).toBeGreaterThan(10);
      expect(kinds.slice(acknowledged - 3, acknowledged)).toEqual(['frame', 'flush', 'head']);
      expect(kinds.filter((kind) => kind === 'head').length).toBeGreaterThan(5);
    },
  );
});

/** What a line of strace's means to an append; undefined where nothing. */
function kindOf(call: string): string | undefined {
  if (/ write\(1, "t \d/.test(call)) return 'acknowledge';
  if (/ fdatasync\(\d+\)| fdatasync resumed/.test(call)) return 'flush';
  if (call.includes('"TMH1')) return 'head';
  return call.includes('"TMF1') ? 'frame' : undefined;
}

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true']);
    return true;
  } catch {
    return false;
  }
}
