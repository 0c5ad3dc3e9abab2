/** Whatever a file holds, little memory is used. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { BEGINNING } from '../../../services/operations/import/record.ts';
import { RecordReader } from '../../../services/operations/import/record-reader.ts';
import { READ } from '../../support/service/import-records.ts';
import { FORMS, MB } from './any-bytes.ts';

test.each(FORMS)(
  '$what: of 24 MB no more than 16 MB are in memory at once',
  { timeout: 120_000 },
  async ({ begins, goesOn }) => {
    const chunk = Buffer.from(goesOn.repeat(65_536 / goesOn.length));
    const before = usedBytes();
    let most = -Infinity;
    async function* chunks(): AsyncGenerator<Buffer> {
      yield Buffer.from(begins);
      for (let sent = 0; sent < 24 * MB; sent += chunk.length) {
        if (sent % (6 * MB) === 0) most = Math.max(most, usedBytes() - before);
        yield Buffer.from(chunk);
      }
      most = Math.max(most, usedBytes() - before);
    }

    const reader = new RecordReader(READ);
    const reading = reader.read(chunks(), BEGINNING);
    // A header without end is refused at the end of the file.
    for (;;) if ((await reading.next().catch(() => ({ done: true }))).done === true) break;

    expect(most).toBeGreaterThan(-Infinity);
    expect(most).toBeLessThan(16 * MB);
  },
);

/** Bytes that are still needed. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The second one waits for what the first one frees.
  for (const _ of [1, 2]) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
