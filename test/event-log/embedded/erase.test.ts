import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isBlank } from '../../../services/event-log/blank.ts';
import type { Position } from '../../../services/event-log/event-log.ts';
import { identityOf, positionAfter } from '../../../services/event-log/identity.ts';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import { AT_ONCE, PATIENT, placed, record, values } from '../../support/event-log/event-log.ts';
import { searchFiles } from '../../support/search-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const AT = { topic: 't', partition: 0 };

async function logOf(texts: readonly string[], folder?: string) {
  const path = folder ?? (await temporaryFolder());
  const log = await openEmbedded(path, ['t'], 1);
  for (const text of texts) await log.append([record('t', 'key', text)]);
  const readerFrom = async (position?: Position) => {
    const start = (): Promise<Position[]> => Promise.resolve(position === undefined ? [] : [position]);
    const reader = await log.openReader({ group: 'g', topics: ['t'], start });
    onTestFinished(() => reader.close());
    return reader;
  };
  return { log, path, readerFrom };
}

describe('an embedded log of which records are erased', () => {
  test('erased records are blank to a reader, which passes them also where nothing follows', async () => {
    const { log, readerFrom } = await logOf(['a', 'b', 'c']);

    expect(
      await log.erase([
        { ...AT, offset: 0n },
        { ...AT, offset: 2n },
      ]),
    ).toBe(2);

    const read = placed(await (await readerFrom()).poll(PATIENT));
    expect(read.map((one) => [one.offset, isBlank(one)])).toEqual([
      [0n, true],
      [1n, false],
      [2n, true],
    ]);
  });

  test('a scan leaves erased records out, and brings them where that is asked for', async () => {
    const { log } = await logOf(['a', 'b', 'c']);
    await log.erase([{ ...AT, offset: 1n }]);
    const scanned = async (options: object) => {
      const pieces = [];
      for await (const piece of log.scan([{ ...AT, from: 0n, to: 3n }], options)) pieces.push(piece);
      return placed(pieces).map(({ offset }) => offset);
    };

    expect(await scanned({})).toEqual([0n, 2n]);
    expect(await scanned({ withBlank: true })).toEqual([0n, 1n, 2n]);
    expect(await scanned({ maxRecords: 1 })).toEqual([0n, 2n]);
  });

  test('a position behind an erased record still belongs to the log', async () => {
    const { log, readerFrom } = await logOf(['a', 'b']);
    const before = { ...AT, offset: 1n, identity: identityOf(record('t', 'key', 'a')) };
    await log.erase([{ ...AT, offset: 0n }]);

    expect(values(placed(await (await readerFrom(before)).poll(PATIENT)))).toEqual(['b']);
  });

  test('the position behind a blank record does not belong to a log that has another record there', async () => {
    const { log, readerFrom } = await logOf(['a', 'b']);
    await log.erase([{ ...AT, offset: 0n }]);
    const [blank] = placed(await (await readerFrom()).poll(PATIENT));
    const other = await logOf(['x', 'y']);

    const reader = await other.readerFrom(positionAfter(AT, blank!));

    await expect(reader.poll(AT_ONCE)).rejects.toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a reader that has the log open goes on while records are appended and erased', async () => {
    const { log, readerFrom } = await logOf([]);
    const reader = await readerFrom();
    const read: string[] = [];
    const erased: bigint[] = [];
    for (let round = 0; round < 40; round++) {
      const appending = log.append([record('t', 'key', `${round}`), record('t', 'key', `${round} too`)]);
      if (round > 0) {
        const offset = BigInt(2 * round - 2);
        await log.erase([{ ...AT, offset }]);
        erased.push(offset);
      }
      await appending;
      for (const one of placed(await reader.poll(PATIENT))) read.push(`${one.offset}`);
    }
    for (let more = await reader.poll(AT_ONCE); more.length > 0; more = await reader.poll(AT_ONCE))
      for (const one of placed(more)) read.push(`${one.offset}`);

    expect(read).toEqual(Array.from({ length: 80 }, (_, offset) => `${offset}`));
    const pieces = [];
    for await (const piece of log.scan([{ ...AT, from: 0n, to: 80n }])) pieces.push(piece);
    expect(placed(pieces).map(({ offset }) => offset)).toEqual(
      Array.from({ length: 80 }, (_, offset) => BigInt(offset)).filter((offset) => !erased.includes(offset)),
    );
  });

  test('the bytes of an erased record are in no file, and stay away when the log is opened again', async () => {
    const folder = join(await temporaryFolder(), 'log');
    const { log } = await logOf(['to be kept', 'marked-value', 'kept too'], folder);
    const wanted = { marked: 'marked-value', kept: 'to be kept' };
    expect((await searchFiles(folder, wanted)).map((hit) => hit.wanted).toSorted()).toEqual(['kept', 'marked']);

    await log.erase([{ ...AT, offset: 1n }]);

    expect((await searchFiles(folder, wanted)).map((hit) => hit.wanted)).toEqual(['kept']);
    await log.close();
    const again = await openEmbedded(folder, ['t'], 1);
    const pieces = [];
    for await (const piece of again.scan([{ ...AT, from: 0n, to: 3n }])) pieces.push(piece);
    expect(values(placed(pieces))).toEqual(['to be kept', 'kept too']);
    expect(await again.erase([{ ...AT, offset: 1n }])).toBe(0);
  });

  test('a record of an unknown partition or behind the end is refused, and nothing is erased', async () => {
    const { log } = await logOf(['a']);

    await expect(log.erase([{ topic: 't', partition: 7, offset: 0n }])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    await expect(
      log.erase([
        { ...AT, offset: 0n },
        { ...AT, offset: 5n },
      ]),
    ).rejects.toMatchObject({
      code: 'LOG_DAMAGED',
    });
    expect(await log.erase([{ ...AT, offset: 0n }])).toBe(1);
    await log.close();
    await expect(log.erase([{ ...AT, offset: 0n }])).rejects.toMatchObject({ code: 'STOPPING' });
  });
});
