import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** With what Node compiled before, which takes a fifth of the time of a start. */
export const ENVIRONMENT = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tidemark'),
};

/** A Node program of this repository as a child process, killed when the test ends. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line of its standard output; undefined where that has ended. */
  line(): Promise<string | undefined>;
  kill(): Promise<void>;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param script A path from the root of the repository, after options for Node where there are any. */
export function startProgram(script: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, script, { cwd: root, env: { ...ENVIRONMENT, ...env } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close');
  const program = {
    child,
    line: async () => (await lines.next()).value,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
  onTestFinished(program.kill);
  return program;
}

/** Runs a program to its end. */
export async function runProgram(script: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const child = spawn(process.execPath, script, { cwd: root, env: { ...ENVIRONMENT, ...env } });
  child.stdin.end();
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: await stdout, stderr: await stderr };
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += String(chunk);
  return all;
}
