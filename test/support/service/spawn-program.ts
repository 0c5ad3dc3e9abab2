import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const ROOT = join(import.meta.dirname, '../../..');

/** With what Node compiled before, which takes a fifth of the time of a start. */
export const ENVIRONMENT = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/tidemark'),
};

/** A Node program of this repository as a child process. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line of its standard output; undefined where that has ended. */
  line(): Promise<string | undefined>;
  kill(): Promise<void>;
}

/** @param script A path from the root of the repository, after options for Node where there are any. */
export function spawnProgram(script: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, script, { cwd: ROOT, env: { ...ENVIRONMENT, ...env } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close');
  return {
    child,
    line: async () => (await lines.next()).value,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
