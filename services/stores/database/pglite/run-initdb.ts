import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Makes a new cluster in `folder`, in a process of its own: initdb runs a second engine of 300 MB, of which this process
 * would keep most (measured).
 */
export async function runInitdb(folder: string, signal?: AbortSignal): Promise<void> {
  const program = fileURLToPath(new URL('initdb.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [program, folder], { signal, killSignal: 'SIGKILL' });
}
