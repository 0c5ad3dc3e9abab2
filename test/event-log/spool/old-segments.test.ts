import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../../services/event-log/event-log.ts';
import { readFrames, takeOver } from '../../../services/event-log/spool/old-segments.ts';
import { openSpool, takeAll, valuesOf } from '../../support/event-log/spool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** As Tidemark 0.2 wrote them: the values 0, 1 and 2, then 3 and an empty one. */
const FIRST = Buffer.from(
  'VE1zMSAAAACrs2HEqvmrOQC4h1b+vHhCDgAFAHRpZGVtYXJrLnRyYWNra2V5IDAwVE1zMSAAAAB8sn2qvwOXzwC4h1b+vHhCDgAFAHRpZGVtYXJrLnRy' +
    'YWNra2V5IDExVE1zMSMAAACgE9XFAn/zTgC4h1b+vHhCDgAIAHRpZGVtYXJrLnRyYWNr0LrQu9GO0Ycy',
  'base64',
);
const SECOND = Buffer.from(
  'VE1zMSAAAADQVF2uq+ms9wBwvlb+vHhCDgAFAHRpZGVtYXJrLnRyYWNra2V5IDAzVE1zMR8AAABr2lP0D8KknwBwvlb+vHhCDgAFAHRpZGVtYXJrLnRy' +
    'YWNra2V5IDE=',
  'base64',
);
/** Where the frames of the first begin. */
const STARTS = [0, 48, 96];

async function folderWith(segments: Readonly<Record<string, Buffer>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, bytes] of Object.entries(segments)) await writeFile(join(folder, name), bytes);
  return folder;
}

function keysOf(records: readonly NewRecord[]): string[] {
  return records.map(({ topic, key }) => `${topic} ${Buffer.from(key).toString()}`);
}

describe('segments of Tidemark 0.2', () => {
  test('what waits in them is put into the log of the spool, in order, and they are removed', async () => {
    const folder = await folderWith({ '0000000000000001.spool': FIRST, '0000000000000002.spool': SECOND });
    const spool = await openSpool(folder);
    const errors: unknown[] = [];

    await takeOver(folder, (records) => spool.append(records), { error: (...args: unknown[]) => errors.push(args) });

    expect((await readdir(folder)).filter((name) => name.endsWith('.spool'))).toEqual([]);
    expect(keysOf((await spool.read())?.records ?? [])).toEqual([
      'tidemark.track key 0',
      'tidemark.track key 1',
      'tidemark.track ключ',
      'tidemark.track key 0',
      'tidemark.track key 1',
    ]);
    expect([await takeAll(spool), errors]).toEqual([['0', '1', '2', '3', ''], []]);
  });

  test('a damaged one is kept aside and logged, and its whole records are taken over', async () => {
    const damaged = Buffer.from(FIRST);
    damaged[60]! ^= 1;
    const folder = await folderWith({ '0000000000000007.spool': damaged });
    const spool = await openSpool(folder);
    const errors: unknown[] = [];

    await takeOver(folder, (records) => spool.append(records), { error: (...args: unknown[]) => errors.push(args) });

    expect(await readFile(join(folder, '0000000000000007.spool.kept'))).toEqual(damaged);
    expect([await takeAll(spool), errors.length]).toEqual([['0', '2'], 1]);
  });

  test('one that cannot be taken over stays', async () => {
    const folder = await folderWith({ '0000000000000001.spool': FIRST });

    const result = takeOver(folder, () => Promise.reject(new Error('as ordered')), { error: () => undefined });

    await expect(result).rejects.toThrow('as ordered');
    expect(await readFile(join(folder, '0000000000000001.spool'))).toEqual(FIRST);
  });

  test('frames truncated anywhere yield the complete ones', () => {
    for (let length = 1; length < FIRST.length; length++) {
      const { records, isWhole } = readFrames(FIRST.subarray(0, length));
      expect([records.length, isWhole]).toEqual([
        STARTS.filter((start) => start > 0 && start <= length).length,
        STARTS.includes(length),
      ]);
    }
  });

  test('one changed byte costs one record', () => {
    for (let at = 0; at < FIRST.length; at++) {
      const changed = Buffer.from(FIRST);
      changed[at]! ^= 0x10;
      const { records, isWhole } = readFrames(changed);
      const hit = STARTS.findLastIndex((start) => start <= at);
      expect([valuesOf(records), isWhole]).toEqual([['0', '1', '2'].toSpliced(hit, 1), false]);
    }
  });
});
