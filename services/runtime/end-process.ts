import { writeSync } from 'node:fs';

/**
 * Ends the process at once, from any of its threads, with one line on standard error. It uses SIGKILL because exit handlers
 * may hang, or work on damaged memory. The parent process sees the signal (a shell: 137). To the stores it is a crash.
 */
export function endProcess(reason: string): void {
  try {
    writeSync(2, `tidemark: ${reason}: the process ends itself\n`);
  } catch {
    // Standard error is closed.
  }
  process.kill(process.pid, 'SIGKILL');
}
