import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

const APPENDER = 'test/support/programs/event-log-appender.ts';
const SYSTEM_CALLS = 'trace=write,writev,pwrite64,pwritev,fdatasync,openat';

/** The lines of strace's for a process that appends to a new log, one record after the other. */
export async function tracedAppends(): Promise<readonly string[]> {
  const folder = await temporaryFolder();
  const trace = join(folder, 'trace');
  const appender = [APPENDER, `log:${join(folder, 'log')}`, 't', 'v', '200'];
  execFileSync('strace', ['-f', '-e', SYSTEM_CALLS, '-s', '64', '-o', trace, process.execPath, ...appender], {
    stdio: 'ignore',
  });
  return (await readFile(trace, 'utf8')).split('\n').filter((call) => !/unfinished/.test(call));
}

export function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true']);
    return true;
  } catch {
    return false;
  }
}
