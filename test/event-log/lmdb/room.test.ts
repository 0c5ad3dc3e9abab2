import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newestMeta } from '../../../services/event-log/lmdb/data-file.ts';
import { Room } from '../../../services/event-log/lmdb/room.ts';
import { LmdbEventLog } from '../../../services/event-log/lmdb/lmdb-event-log.ts';
import { readCount, record, text } from '../../support/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MIB = 2 ** 20;

async function logOf(folder: string, appends: number, value = 'small'): Promise<void> {
  const log = await LmdbEventLog.open({ folder, topics: ['t'], partitions: 1 });
  for (let n = 0; n < appends; n++) await log.append([record('t', `key-${n}`, `${value}-${n}`)]);
  await log.close();
}

/** Bytes of the file behind the last page that LMDB uses. */
function roomIn(folder: string): number {
  const file = join(folder, 'data.mdb');
  const descriptor = openSync(file, 'r');
  const { lastPage, pageBytes } = newestMeta(descriptor, file);
  closeSync(descriptor);
  return statSync(file).size - (lastPage + 1) * pageBytes;
}

test('a log that grows by small appends has room ahead, and all that was appended', async () => {
  const folder = await temporaryFolder();
  await logOf(folder, 400);

  expect(roomIn(folder)).toBeGreaterThan(0);
  expect(roomIn(folder)).toBeLessThanOrEqual(2 * MIB);
  await logOf(folder, 400, 'later');
  const log = await LmdbEventLog.open({ folder, topics: ['t'] });
  onTestFinished(() => log.close());
  const reader = await log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) });
  const values = (await readCount(reader, 800)).map(({ value }) => text(value));
  const numbers = Array.from({ length: 400 }, (_, n) => n);
  expect(values).toEqual([...numbers.map((n) => `small-${n}`), ...numbers.map((n) => `later-${n}`)]);
});

test('one that hardly grows, or by much at a time, has none', async () => {
  const [few, big] = [await temporaryFolder(), await temporaryFolder()];
  await logOf(few, 50);
  await logOf(big, 150, 'x'.repeat(100_000));

  expect([roomIn(few), roomIn(big)]).toEqual([0, 0]);
});

// Where it cannot be made: lmdb-disk-full.test.ts.
test('room is made behind the end of the file, as much as is wanted and no more', async () => {
  const folder = await temporaryFolder();
  await logOf(folder, 10);
  const file = join(folder, 'data.mdb');
  const before = statSync(file).size;
  const room = new Room(file);
  onTestFinished(() => room.close());

  for (let n = 0; n < 110; n++) room.makeFor(500);

  expect(statSync(file).size).toBe(before + MIB);
});
