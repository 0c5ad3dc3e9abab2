import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { ENVIRONMENT, type Program, ROOT, spawnProgram } from './spawn-program.ts';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** As `spawnProgram`; killed when the test ends. */
export function startProgram(script: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const program = spawnProgram(script, env);
  onTestFinished(() => program.kill());
  return program;
}

/** Runs a program to its end. */
export async function runProgram(script: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const child = spawn(process.execPath, script, { cwd: ROOT, env: { ...ENVIRONMENT, ...env } });
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
