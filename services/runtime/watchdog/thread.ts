/** Runs in the thread that watchdog.ts starts. It waits for no other thread, so that it works while all others hang. */
import { workerData } from 'node:worker_threads';
import { endProcess } from '../end-process.ts';
import { sleepSync } from '../pause.ts';
import { Beats, CHECK_INTERVAL_MS } from './beats.ts';
import { Watch } from './watch.ts';

const watch = new Watch(new Beats(workerData as SharedArrayBuffer));
for (;;) {
  sleepSync(CHECK_INTERVAL_MS);
  const reason = watch.check();
  if (reason !== undefined) endProcess(reason);
}
