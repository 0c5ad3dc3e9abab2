/**
 * Outlives the process that started it, by a moment: when its standard input ends it kills the processes and removes the
 * folders that it was told of and not told to forget. Lines: `process PID SIGNAL`, `exited PID`, `folder PATH`, `removed PATH`.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const signals = new Map<number, string>();
const folders = new Set<string>();

// What ends the parent, a Ctrl-C say, ends its process group; the order to go comes through the pipe.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
for await (const line of createInterface({ input: process.stdin })) remember(line);
await killAll();
await Promise.all([...folders].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));

function remember(line: string): void {
  const [verb, what = '', signal = 'SIGKILL'] = line.split('\t');
  if (verb === 'process') signals.set(Number(what), signal);
  if (verb === 'exited') signals.delete(Number(what));
  if (verb === 'folder') folders.add(what);
  if (verb === 'removed') folders.delete(what);
}

async function killAll(): Promise<void> {
  for (const [pid, signal] of signals) {
    send(pid, signal);
    send(pid, 'SIGCONT');
  }
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline && [...signals.keys()].some((pid) => send(pid, 0))) await wait(20);
  for (const pid of signals.keys()) send(pid, 'SIGKILL');
}

function send(pid: number, signal: string | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
