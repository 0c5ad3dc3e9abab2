/** What runs in the thread that watchdog.ts starts. It must get on where all others hang: it waits for nobody. */
import { workerData } from 'node:worker_threads';
import { endProcess } from '../end-process.ts';
import { sleepSync } from '../pause.ts';
import { Watch } from './watch.ts';
import { Beats, LOOK_EVERY_MS } from './watchdog.ts';

const watch = new Watch(new Beats(workerData as SharedArrayBuffer));
for (;;) {
  sleepSync(LOOK_EVERY_MS);
  const wrong = watch.look();
  if (wrong !== undefined) endProcess(wrong);
}
