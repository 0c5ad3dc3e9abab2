/** Runs in the thread that watchdog.ts starts. It waits for no other thread, so that it works while all others hang. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { sleepSync } from '../pause.ts';
import { Beats, CHECK_INTERVAL_MS } from './beats.ts';
import { Watch } from './watch.ts';

const watch = new Watch(new Beats(workerData as SharedArrayBuffer));
for (;;) {
  sleepSync(CHECK_INTERVAL_MS);
  const reason = watch.check();
  if (reason !== undefined) endProcess(reason);
}

/**
 * Ends the process at once, with one line on standard error. It uses SIGKILL because exit handlers may hang. The parent
 * process sees the signal (a shell: 137). To the stores it is a crash.
 */
function endProcess(reason: string): void {
  try {
    writeSync(2, `tidemark: ${reason}: the process ends itself\n`);
  } catch {
    // Standard error is closed.
  }
  process.kill(process.pid, 'SIGKILL');
}
