import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readRecords } from '../../../services/event-log/embedded/chunk.ts';
import type { LogRecord } from '../../../services/event-log/event-log.ts';
import { openStoredLog } from '../../../services/event-log/lmdb/stored-log.ts';
import { nameOf } from '../../../services/event-log/partition.ts';
import { hasCode } from '../../../services/runtime/errors.ts';
import { text } from '../../support/event-log/event-log.ts';
import { contentOfOldLog, type OldLogName, putOldLog } from '../../support/event-log/old-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PAGE_BYTES = 4_096;
const META_BYTES = 2 * PAGE_BYTES;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const BRANCH = 1;
const LEAF = 2;
const FORMAT = '{"format":1';

describe('a log that version 0.2.0 made', () => {
  test.each(['small', 'large'] as const)(
    'every record is at its offset with its time, and what a group has committed is known (%s)',
    async (name) => {
      const { records, committed } = contentOfOldLog(name);

      const [metadata = '', ...found] = contentOf(await folderWith(name));

      expect(found.toSorted()).toEqual([...records].map(([spot, record]) => `${spot} ${record}`).toSorted());
      const positions = committed.map((position) => ({ ...position, offset: String(position.offset) }));
      expect(JSON.parse(metadata)).toEqual([
        [
          { name: 't', partitions: 3 },
          { name: 'u', partitions: 2 },
          { name: 'v', partitions: 3 },
        ],
        expect.any(Array),
        expect.arrayContaining([['committed/readers', positions]]),
      ]);
    },
  );

  test('a log may end in zeros, which an earlier version wrote ahead of the records', async () => {
    const folder = await folderWith('small');
    const content = contentOf(folder);

    await appendFile(join(folder, 'data.mdb'), Buffer.alloc(2 ** 20));

    expect(contentOf(folder)).toEqual(content);
  });

  test('a log knows that somebody has written to it since it was opened', async () => {
    const folder = await folderWith('small');
    const file = join(folder, 'data.mdb');
    const log = openStoredLog(folder);
    const before = log.hasChanged();

    const bytes = await readFile(file);
    for (const meta of [0, PAGE_BYTES]) {
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE(meta + TRANSACTION_AT) + 2n, meta + TRANSACTION_AT);
    }
    await writeFile(file, bytes);

    expect([before, log.hasChanged()]).toEqual([false, true]);
    log.close();
  });
});

describe('a damaged log', () => {
  test('a log whose file is empty is refused', async () => {
    const folder = await folderWith('small');
    await truncate(join(folder, 'data.mdb'), 0);

    expect(() => contentOf(folder)).toThrow(expect.objectContaining({ code: 'LOG_DAMAGED' }));
  });

  test.each([0.1, 0.25, 0.5])('a log truncated to %f of its length is refused', async (left) => {
    const folder = await folderWith('small');
    const file = join(folder, 'data.mdb');
    await truncate(file, Math.floor(usedIn(await readFile(file)).length * left));

    expect(() => contentOf(folder)).toThrow(expect.objectContaining({ code: 'LOG_DAMAGED' }));
  });

  test('a log cut at any page is refused, or lacks nothing', async () => {
    await eachDamage(pagesOf, (bytes, page) => bytes.subarray(0, page));
  });

  test('a log with a changed byte in a record is refused', async () => {
    await eachDamage(
      () => ['value-0 ', 'value-100 ', 'value-299 ', 'large large'],
      (bytes, value) => {
        for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) bytes[at]! ^= 1;
        return bytes;
      },
      ['refused'],
    );
  });

  test('a log with any page replaced by zeros is refused, or lacks nothing', async () => {
    await eachDamage(pagesOf, (bytes, page) => bytes.fill(0, page, page + PAGE_BYTES));
  });

  test('a log with a page that has lost its nodes is refused, or lacks nothing', async () => {
    await eachDamage(treePagesOf, (bytes, page) => written(bytes, page + 20, 0, 0));
  });

  test('a log with a changed bit in what trees are made of is refused, or lacks nothing', async () => {
    await eachDamage(
      (intact) => someOf(treePagesOf(intact).flatMap((page) => structureOf(intact, page))),
      (bytes, at) => written(bytes, at, bytes[at]! ^ (1 << Math.floor(Math.random() * 8))),
    );
  });

  // Neither of the two meta pages has a checksum: a bit that lowers the number of the newer one brings back the state one
  // transaction earlier, which nothing in the file tells from the truth.
  test('a log with a changed bit after its two meta pages is refused, or lacks nothing', async () => {
    await eachDamage(
      (intact) => someOf(Array.from(intact.keys()).slice(META_BYTES)),
      (bytes, at) => written(bytes, at, bytes[at]! ^ (1 << Math.floor(Math.random() * 8))),
    );
  });

  test('a log in which a branch is its own ancestor is refused, or lacks nothing', async () => {
    await eachDamage(
      (intact) => treePagesOf(intact).filter((page) => intact.readUInt16LE(page + 18) === BRANCH),
      (bytes, page) => written(bytes, nodesOf(bytes, page)[1]!, page / PAGE_BYTES, 0, 0, 0, 0, 0),
    );
  });
});

describe('a folder that is not an event log', () => {
  test('a folder with another data.mdb is refused', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'data.mdb'), 'years of work '.repeat(1_000));

    expect(() => openStoredLog(folder)).toThrow(expect.objectContaining({ code: 'LOG_FOREIGN' }));
  });

  test("another program's LMDB database is refused, and left unchanged", async () => {
    const folder = await folderWith('foreign');
    const content = await readFile(join(folder, 'data.mdb'));

    expect(() => openStoredLog(folder)).toThrow(expect.objectContaining({ code: 'LOG_FOREIGN' }));

    expect(content.equals(await readFile(join(folder, 'data.mdb')))).toBe(true);
    expect((await readdir(folder)).toSorted()).toEqual(['data.mdb', 'lock.mdb']);
  });

  test('a log of a newer format is refused', async () => {
    const folder = await folderWith('small');
    const bytes = await readFile(join(folder, 'data.mdb'));
    for (let at = bytes.indexOf(FORMAT); at >= 0; at = bytes.indexOf(FORMAT, at + 1)) {
      bytes.write(FORMAT.replace('1', '2'), at);
      const body = bytes.subarray(at, bytes.indexOf(']}', at) + 2);
      bytes.writeUInt32LE(crc32(body, crc32('format')), at - 4);
    }
    await writeFile(join(folder, 'data.mdb'), bytes);

    expect(() => openStoredLog(folder)).toThrow(expect.objectContaining({ code: 'LOG_FOREIGN' }));
  });

  test('a folder without a file of LMDB is refused', async () => {
    const folder = await folderWith('small');
    await rm(join(folder, 'data.mdb'));

    expect(() => openStoredLog(folder)).toThrow('ENOENT');
  });
});

type Found = 'whole' | 'refused' | 'other';

/** Damages a log in each of these ways by itself, and checks what is found then. */
async function eachDamage<Way>(
  waysOf: (intact: Buffer) => readonly Way[],
  damage: (bytes: Buffer, way: Way) => Buffer,
  allowed: readonly Found[] = ['refused', 'whole'],
): Promise<void> {
  const folder = await folderWith('small');
  const file = join(folder, 'data.mdb');
  const intact = usedIn(await readFile(file));
  const content = contentOf(folder).join('\n');
  const ways = waysOf(intact);
  expect(ways.length).toBeGreaterThan(0);
  for (const way of ways) {
    await writeFile(file, damage(Buffer.from(intact), way));
    expect(allowed, String(way)).toContain(foundIn(folder, content));
  }
}

function foundIn(folder: string, content: string): Found {
  try {
    return contentOf(folder).join('\n') === content ? 'whole' : 'other';
  } catch (error) {
    if (hasCode(error, 'LOG_DAMAGED') || hasCode(error, 'LOG_FOREIGN')) return 'refused';
    throw error;
  }
}

function written(target: Buffer, at: number, ...bytes: readonly number[]): Buffer {
  target.set(bytes, at);
  return target;
}

/** Without the zeros that version 0.2.0 wrote ahead of the records. */
function usedIn(bytes: Buffer): Buffer {
  const [last, other] = [0, PAGE_BYTES].map((meta) => Number(bytes.readBigUInt64LE(meta + LAST_PAGE_AT)));
  return bytes.subarray(0, (Math.max(last!, other!) + 1) * PAGE_BYTES);
}

/** Others each time. */
function someOf(positions: readonly number[]): readonly number[] {
  return Array.from({ length: 800 }, () => positions[Math.floor(Math.random() * positions.length)]!);
}

async function folderWith(name: OldLogName): Promise<string> {
  const folder = await temporaryFolder();
  await putOldLog(folder, name);
  return folder;
}

/** Everything in a log: what is stored under a name, and each record as `LogContent` has it. */
function contentOf(folder: string): readonly string[] {
  const log = openStoredLog(folder);
  try {
    const chunks = log.layout.partitions.flatMap((partition) => [...log.chunks(partition)]);
    const records = chunks.flatMap(({ partition, first, count, bytes }) => {
      const read: LogRecord[] = [];
      readRecords(bytes, first, first, { records: count, bytes: Infinity, atLeastOne: true, end: Infinity }, read);
      return read.map(({ offset, key, value, appendedAtMs }) => {
        return `${nameOf(partition)}@${offset} ${text(key)} ${text(value)} ${appendedAtMs}`;
      });
    });
    return [JSON.stringify([log.layout.topics, [...log.ends], [...log.notes]]), ...records];
  } finally {
    log.close();
  }
}

/** Where the pages begin, without the first two. */
function pagesOf(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / PAGE_BYTES - 2 }, (_, i) => META_BYTES + i * PAGE_BYTES);
}

/** Where the pages of trees begin: branches and leaves. */
function treePagesOf(bytes: Buffer): readonly number[] {
  return pagesOf(bytes).filter((page) => [BRANCH, LEAF].includes(bytes.readUInt16LE(page + 18)));
}

function nodesOf(bytes: Buffer, page: number): readonly number[] {
  const count = bytes.readUInt16LE(page + 20) / 2;
  return Array.from({ length: count }, (_, i) => page + 24 + bytes.readUInt16LE(page + 24 + 2 * i));
}

/** The bytes of a page's header, of the list of its nodes, and of the header and key of each node. */
function structureOf(bytes: Buffer, page: number): readonly number[] {
  const nodes = nodesOf(bytes, page);
  const head = Array.from({ length: 24 + 2 * nodes.length }, (_, i) => page + i);
  return [...head, ...nodes.flatMap((node) => Array.from({ length: 16 }, (_, i) => node + i))];
}
