/**
 * Appends to a log without end and prints every record that was acknowledged: `topic partition offset value`.
 * Arguments: the log's URL, the topics' names by commas, what the values begin with, how many records in all (0: no end).
 */
import { openEventLog } from '../../../services/event-log/open.ts';
import { record } from '../event-log/event-log-records.ts';

const [url = '', topics = '', prefix = '', count = '0'] = process.argv.slice(2);
const log = await openEventLog(url, { topics: topics.split(',') });
const end = Number(count) === 0 ? Infinity : Number(count);
let next = 0;

await Promise.all(Array.from({ length: 8 }, (_, i) => append(1 + i)));
await log.close();

async function append(size: number): Promise<void> {
  while (next < end) {
    const given = Array.from({ length: Math.min(size, end - next) }, (_, i) => {
      const names = topics.split(',');
      return record(names[(next + i) % names.length] ?? '', `key-${(next + i) % 50}`, `${prefix}-${next + i}`);
    });
    next += given.length;
    const appended = await log.append(given);
    const lines = appended.map(({ topic, partition, offset }, i) => {
      return `${topic} ${partition} ${offset} ${String(given[i]?.value)}\n`;
    });
    process.stdout.write(lines.join(''));
  }
}
