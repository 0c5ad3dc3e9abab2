import { writeSync } from 'node:fs';

/**
 * Ends the process at once, from any of its threads, with one line on standard error. By SIGKILL: what runs at an ordinary
 * end may hang, or work on damaged memory. Its parent sees the signal (a shell: 137). The stores take it for a crash.
 */
export function endProcess(reason: string): void {
  try {
    writeSync(2, `tidemark: ${reason}: the process ends itself\n`);
  } catch {
    // Nobody reads it.
  }
  process.kill(process.pid, 'SIGKILL');
}
