/** The command line as a process of its own, as an operator runs it. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');

/** Resolves with what it printed; rejects where it exits with another code than 0. */
export async function spawnCli(argv: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'services/cli/tidemark.js'), ...argv], {
    cwd: ROOT,
    env,
  });
  return stdout;
}
