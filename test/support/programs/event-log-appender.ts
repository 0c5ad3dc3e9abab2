/**
 * Appends to a log without end and prints every record that was acknowledged: `topic partition offset value`. A value names
 * its append, its number in it and how many the append has: `PREFIX-17/0/3`.
 * Arguments: the log's URL, the topics' names by commas, what the values begin with, how many records in all (0: no end),
 * how many other threads do the same, and, of a log of segments that is to be deleted from as well, the bytes of a segment.
 */
import { Worker } from 'node:worker_threads';
import { openEventLog, shareEventLog } from '../../../services/event-log/open.ts';
import { record } from '../event-log/event-log-records.ts';
import type { Deleter } from './segment-deleter.ts';

const [url = '', topics = '', prefix = '', count = '0', threads = '0', segmentBytes = '0'] = process.argv.slice(2);
const names = topics.split(',');
if (segmentBytes !== '0') {
  const { setSegmentBytes } = await import('../../../services/event-log/embedded/segments/shared-log.ts');
  setSegmentBytes(Number(segmentBytes));
}
await shareEventLog(url);
for (let i = 1; i <= Number(threads); i++) {
  const thread = new Worker(new URL(import.meta.url), { argv: [url, topics, `${prefix}-thread-${i}`, count] });
  thread.once('error', (error) => {
    throw error;
  });
}
const log = await openEventLog(url, { topics: names });
const end = Number(count) === 0 ? Infinity : Number(count);
let next = 0;
let appends = 0;

const deleter = segmentBytes === '0' ? undefined : await openDeleter();
await Promise.all(Array.from({ length: 8 }, (_, i) => append(1 + i)));
await log.close();

async function openDeleter(): Promise<Deleter> {
  const { deleteFrom } = await import('./segment-deleter.ts');
  return deleteFrom(url.slice('log:'.length));
}

async function append(size: number): Promise<void> {
  while (next < end) {
    const length = Math.min(size, end - next);
    const append = appends++;
    const given = Array.from({ length }, (_, i) => {
      const topic = names[(next + i) % names.length] ?? '';
      return record(topic, `key-${(next + i) % 50}`, `${prefix}-${append}/${i}/${length}`);
    });
    next += length;
    const appended = await log.append(given);
    const lines = appended.map(({ topic, partition, offset }, i) => {
      return `${topic} ${partition} ${offset} ${String(given[i]?.value)}\n`;
    });
    process.stdout.write(lines.join(''));
    await deleter?.appended(appended);
  }
}
