import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sealChunk, seedOf } from '../../../services/event-log/embedded/chunk.ts';
import {
  compareLogs,
  copyLog,
  type StoredChunk,
  type StoredLog,
} from '../../../services/event-log/embedded/copy-log.ts';
import { Layout } from '../../../services/event-log/embedded/layout.ts';
import type { LogStore } from '../../../services/event-log/embedded/store.ts';
import { openUnshared } from '../../../services/event-log/segments/segment-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { chunkOf } from '../segments/scene.ts';

const LAYOUT = new Layout([{ name: 't', partitions: 2 }]);
const HOUR_MS = 3_600_000;

/** A log with a record an hour in each partition. */
function logOf(values: (hour: number, partition: number) => string, more: Partial<StoredLog> = {}): StoredLog {
  const chunks = LAYOUT.partitions.map((partition) => {
    return [1, 2, 3].map((hour): StoredChunk => {
      const bytes = chunkOf([values(hour, partition.partition)]);
      const first = hour - 1;
      sealChunk(bytes, 1, hour * HOUR_MS, seedOf(partition, first));
      return { partition, first, count: 1, appendedAtMs: hour * HOUR_MS, bytes };
    });
  });
  return {
    layout: LAYOUT,
    ends: Float64Array.of(3, 3),
    notes: new Map([['a note', { of: 'a log' }]]),
    chunks: ({ index }) => chunks[index]!,
    hasChanged: () => false,
    close: () => undefined,
    ...more,
  };
}

const LOG = logOf((hour, partition) => `hour-${hour} of ${partition}`);

async function copyOf(log: StoredLog): Promise<{ readonly folder: string; readonly copy: LogStore }> {
  const folder = await temporaryFolder();
  const copy = openUnshared(folder, ['t'], 2);
  onTestFinished(() => copy.close());
  await copyLog(log, copy, () => undefined);
  return { folder, copy };
}

test('a copy has the oldest records of all partitions first, as the beginning is cut by age', async () => {
  const { folder } = await copyOf(LOG);

  const segment = (await readdir(folder)).find((name) => name.endsWith('.log'))!;
  const found = (await readFile(join(folder, segment))).toString('latin1').matchAll(/hour-\d of \d/g);
  expect([...found].map(String)).toEqual([1, 2, 3].flatMap((hour) => [`hour-${hour} of 0`, `hour-${hour} of 1`]));
});

test('a copy is compared with its log record by record', async () => {
  const { copy } = await copyOf(LOG);

  await expect(compareLogs(LOG, copy, () => undefined)).resolves.toBeUndefined();
});

test.each([
  ['a record is another', logOf((hour, partition) => `hour-${hour} of ${hour === 2 ? 7 : partition}`)],
  [
    'a note is another',
    logOf((hour, partition) => `hour-${hour} of ${partition}`, { notes: new Map([['a note', 7]]) }),
  ],
  ['an end is another', logOf((hour, partition) => `hour-${hour} of ${partition}`, { ends: Float64Array.of(3, 4) })],
])('a copy is told from the log where %s', async (_, other) => {
  const { copy } = await copyOf(LOG);

  const comparing = compareLogs(other, copy, () => undefined);

  await expect(comparing).rejects.toMatchObject({
    code: 'LOG_DAMAGED',
    message: expect.stringContaining('the copy differs from the log'),
  });
});

test('a copy is refused where somebody has written to its log meanwhile', async () => {
  const { copy } = await copyOf(LOG);

  const comparing = compareLogs({ ...LOG, hasChanged: () => true }, copy, () => undefined);

  await expect(comparing).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
});
