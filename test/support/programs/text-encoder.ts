/** Encodes records of text, for a log's tests: `a,b` gives two, of a topic in common. Some text orders a fault. */
import type { EncodedRecords } from '../../../services/event-log/event-log.ts';
import { record } from '../event-log/event-log-records.ts';

export function encodeRecords(shared: unknown, bytes: Buffer): EncodedRecords {
  const { topic } = shared as { readonly topic: string };
  const text = bytes.toString();
  if (text === 'nothing') return { records: [], result: () => 'nothing here' };
  if (text === 'throw') throw new Error('as ordered');
  if (text === 'die') process.exit(7);
  const values = text === 'huge' ? ['x'.repeat(9 * 2 ** 20)] : text.split(',');
  return {
    records: values.map((value) => record(topic, value, value)),
    result: (appended) => appended.map(({ partition, offset }) => `${topic}/${partition}@${offset} 😀`).join(),
  };
}
