import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import type { LogCoordinates } from '../../../services/event-log/event-log.ts';
import { segmentBytesOfProcess, setSegmentBytes } from '../../../services/event-log/embedded/segments/shared-log.ts';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import { PATIENT, placed, readCount, record, scanTopic } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const AT = { topic: 't', partition: 0 };
const SMALL_FILE_BYTES = 20_000;
const DESCRIPTORS = '/proc/self/fd';

beforeEach(() => {
  const before = segmentBytesOfProcess();
  setSegmentBytes(SMALL_FILE_BYTES);
  return () => setSegmentBytes(before);
});

/** A log of one partition with records of a kilobyte. */
async function logOf(count: number) {
  const folder = await temporaryFolder();
  const log = await openEmbedded(folder, ['t'], 1);
  for (let left = count; left > 0; left -= 10) await append(log, 10);
  return { log, folder };
}

async function append(log: EmbeddedEventLog, count: number): Promise<void> {
  await log.append(Array.from({ length: count }, () => record('t', 'key', 'x'.repeat(1_000))));
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

/** Files of a folder that were deleted and that this process still has open, so that they keep their space. */
function deletedAndOpen(folder: string): readonly string[] {
  const linkOf = (name: string): string => {
    try {
      return readlinkSync(join(DESCRIPTORS, name));
    } catch {
      return '';
    }
  };
  const links = readdirSync(DESCRIPTORS).map(linkOf);
  return links.filter((link) => link.startsWith(folder) && link.endsWith('(deleted)'));
}

async function offsetsIn(log: EmbeddedEventLog): Promise<readonly bigint[]> {
  return (await scanTopic(log, 't')).map(({ offset }) => offset);
}

function numbers(from: bigint, to: bigint): readonly bigint[] {
  return Array.from({ length: Number(to - from) }, (_, i) => from + BigInt(i));
}

describe('an embedded log that is cut', () => {
  test('the bytes on the disk fall by those of the records that are gone, but for one file and the beginnings', async () => {
    const { log, folder } = await logOf(400);
    const before = await bytesIn(folder);

    await log.cut([{ ...AT, offset: 200n }]);

    const after = await bytesIn(folder);
    expect(before).toBeGreaterThan(400_000);
    expect(after).toBeLessThan(before / 2 + 2 * SMALL_FILE_BYTES);
    await log.cut([{ ...AT, offset: 400n }]);
    expect(await bytesIn(folder)).toBeLessThan(SMALL_FILE_BYTES / 4);
  });

  test.runIf(existsSync(DESCRIPTORS))('no file that was cut is held open, though a reader had read it', async () => {
    const { log, folder } = await logOf(400);
    const reader = await log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) });
    for (let read = 0; read < 400; read += 20)
      expect(placed(await reader.poll({ ...PATIENT, maxRecords: 20 }))).toHaveLength(20);

    await log.cut([{ ...AT, offset: 390n }]);

    expect(deletedAndOpen(folder)).toEqual([]);
  });

  test('a cut gives appends their turn between two files, and does not cut them', async () => {
    const { log } = await logOf(400);
    const done: string[] = [];

    await Promise.all([
      log.cut([{ ...AT, offset: 2n ** 40n }]).then(() => done.push('cut')),
      append(log, 1).then(() => done.push('append')),
    ]);

    expect(done).toEqual(['append', 'cut']);
    expect(await offsetsIn(log)).toEqual([400n]);
  });

  test('beginnings, ends and what is left are the same when the log is opened again', async () => {
    const { log, folder } = await logOf(200);
    await log.cut([{ ...AT, offset: 120n }]);
    const [{ offset: beginning }] = (await log.beginnings(['t'])) as readonly [LogCoordinates];
    await log.close();

    const again = await openEmbedded(folder, ['t'], 1);

    expect(beginning).toBeGreaterThan(100n);
    expect(await again.beginnings(['t'])).toEqual([{ ...AT, offset: beginning }]);
    expect(await offsetsIn(again)).toEqual(numbers(beginning, 200n));
    await again.cut([{ ...AT, offset: 200n }]);
    await again.close();
    const empty = await openEmbedded(folder, ['t'], 1);
    expect([await empty.beginnings(['t']), await empty.ends(['t'])]).toEqual([
      [{ ...AT, offset: 200n }],
      [{ ...AT, offset: 200n }],
    ]);
    await append(empty, 1);
    expect(await offsetsIn(empty)).toEqual([200n]);
  });

  test('a log that is closed in the middle of a cut is whole from where it was cut to', async () => {
    const { log, folder } = await logOf(400);

    const cutting = log.cut([{ ...AT, offset: 400n }]);
    const stopping = expect(cutting).rejects.toMatchObject({ code: 'STOPPING' });
    await log.close();

    await stopping;
    const again = await openEmbedded(folder, ['t'], 1);
    const [{ offset: beginning }] = (await again.beginnings(['t'])) as readonly [LogCoordinates];
    expect(beginning).toBeLessThan(400n);
    expect(await offsetsIn(again)).toEqual(numbers(beginning, 400n));
  });

  test('another instance that has the log open sees what was cut, and its reader goes on', async () => {
    const { log, folder } = await logOf(200);
    const other = await openEmbedded(folder, ['t'], 1);
    const reader = await other.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) });
    const read = [...(await readCount(reader, 150, { ...PATIENT, maxRecords: 10 }))];

    await log.cut([{ ...AT, offset: 150n }]);

    expect(await other.beginnings(['t'])).toEqual(await log.beginnings(['t']));
    expect(await scanTopic(other, 't')).toEqual(await scanTopic(log, 't'));
    read.push(...(await readCount(reader, 50)));
    expect(read.map(({ offset }) => offset)).toEqual(numbers(0n, 200n));
    if (existsSync(DESCRIPTORS)) expect(deletedAndOpen(folder)).toEqual([]);
  });

  test('a scan ends with LOG_REPLACED where records that it has not reached are cut', async () => {
    const { log } = await logOf(200);
    const scan = log.scan([{ ...AT, from: 0n, to: 200n }], { maxRecords: 1 })[Symbol.asyncIterator]();
    await scan.next();

    await log.cut([{ ...AT, offset: 150n }]);

    await expect(scan.next()).rejects.toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a record that was cut cannot be erased, and its neighbours are not either then', async () => {
    const { log } = await logOf(200);
    await log.cut([{ ...AT, offset: 150n }]);

    await expect(log.erase([0n, 199n].map((offset) => ({ ...AT, offset })))).rejects.toMatchObject({
      code: 'LOG_REPLACED',
    });
    expect(await log.erase([{ ...AT, offset: 199n }])).toBe(1);
  });
});
