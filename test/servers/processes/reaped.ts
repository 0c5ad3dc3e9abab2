import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let reaper: ChildProcess | undefined;

/** Sees to it that `child` does not outlive this process, however this process ends. */
export function reapWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  tellReaper('process', String(pid), signal);
  child.once('exit', () => tellReaper('exited', String(pid)));
}

/** A new folder that is gone when this process is, however it ends. Others may enter it, for servers that refuse root. */
export async function serversFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-servers-'));
  tellReaper('folder', folder);
  await chmod(folder, 0o711);
  return folder;
}

export async function removeServersFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  tellReaper('removed', folder);
}

function tellReaper(...words: string[]): void {
  reaper ??= startReaper();
  reaper.stdin?.write(`${words.join('\t')}\n`);
}

function startReaper(): ChildProcess {
  const script = join(import.meta.dirname, 'reaper.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  (child.stdin as Socket).unref();
  // Only a reaper that somebody killed does not read; then there is nobody to tell.
  child.stdin.on('error', () => undefined);
  return child;
}
