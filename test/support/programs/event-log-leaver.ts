/**
 * Exits in the middle of appending, from two threads at once. Arguments: the log's URL, and how it ends: by `exit` or `throw` in
 * the main thread, or by a `thread` that throws.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openEventLog } from '../../../services/event-log/open.ts';
import { records } from '../event-log/event-log-records.ts';

const [url = '', end] = isMainThread ? process.argv.slice(2) : (workerData as string[]);
const log = await openEventLog(url, { topics: ['t'] });
let appends = 0;
let otherAppends = isMainThread ? 0 : Infinity;

for (let i = 0; i < 4; i++) void append();
if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { workerData: [url, end] });
  thread.on('message', () => otherAppends++);
  thread.once('error', () => process.exit(7));
}

async function append(): Promise<void> {
  for (;;) {
    await log.append(records('t', 20));
    parentPort?.postMessage('appended');
    if (++appends < 40 || otherAppends < 40) continue;
    if (end === 'exit' && isMainThread) process.exit(7);
    if (end === 'throw' ? isMainThread : !isMainThread && end === 'thread') throw new Error('the end');
  }
}
