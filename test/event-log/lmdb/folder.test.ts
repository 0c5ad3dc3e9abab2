import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { makeLog } from '../../../services/event-log/lmdb/folder.ts';
import { readCount, records } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TOPICS = ['t'];
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

describe('the folder of an embedded log', () => {
  test.each(['', 'not/there/yet'])('an empty or absent folder becomes a new log (%j)', async (below) => {
    const folder = join(await temporaryFolder(), below);

    const log = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS });

    expect(await log.append(records('t', 1))).toHaveLength(1);
    await log.close();
    expect((await readdir(folder)).toSorted()).toEqual(['data.mdb', 'lock.mdb']);
  });

  test('a folder may be the root of a file system, and hold what a crash left during creation', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, 'new-0123456789abcdef.mdb'), Buffer.alloc(5_000));
    await writeFile(join(folder, 'new-0123456789abcdef.mdb-lock'), '');

    await (await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS })).close();

    expect((await readdir(folder)).toSorted()).toEqual(['data.mdb', 'lock.mdb', 'lost+found']);
  });

  test('a log may end in zeros, which an earlier version wrote ahead of the records', async () => {
    const folder = await temporaryFolder();
    const before = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS });
    await before.append(records('t', 10));
    await before.close();
    await appendFile(join(folder, 'data.mdb'), Buffer.alloc(2 ** 20));

    const log = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS });
    await log.append(records('t', 10));

    expect(await countOf(log)).toBe(20);
    await log.close();
  });

  test('a log is not replaced by an opener that saw the folder empty', async () => {
    const folder = await temporaryFolder();
    const log = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS });
    await log.append(records('t', 10));

    await makeLog(folder, TOPICS, 4);

    const late = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS });
    expect([await countOf(log), await countOf(late)]).toEqual([10, 10]);
    await Promise.all([log.close(), late.close()]);
  });
});

describe('a folder that is not an event log', () => {
  test('a folder with another data.mdb is refused, and left unchanged', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'data.mdb'), 'years of work '.repeat(1_000));

    await expect(EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS })).rejects.toMatchObject({
      code: 'LOG_FOREIGN',
    });

    expect(await readdir(folder)).toEqual(['data.mdb']);
    expect(await readFile(join(folder, 'data.mdb'), 'utf8')).toBe('years of work '.repeat(1_000));
  });

  test("another program's LMDB database is refused, and left unchanged", async () => {
    const folder = await temporaryFolder();
    const database = open<Buffer, Buffer>({ path: folder, ...BINARY });
    await database.put(Buffer.from('key'), Buffer.from('value'));
    await database.close();
    const content = await readFile(join(folder, 'data.mdb'));

    await expect(EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS })).rejects.toMatchObject({
      code: 'LOG_FOREIGN',
    });

    expect(content.equals(await readFile(join(folder, 'data.mdb')))).toBe(true);
  });

  test('a log of a newer format is refused, and left unchanged', async () => {
    const folder = await temporaryFolder();
    await (await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS })).close();
    const database = open<Buffer, Buffer>({ path: folder, overlappingSync: false, ...BINARY });
    const body = Buffer.from(JSON.stringify({ format: 2, topics: 'kept in another way' }));
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(body, crc32('format')));
    await database.openDB('books', BINARY).put(Buffer.from('format'), Buffer.concat([checksum, body]));
    await database.close();
    const content = await readFile(join(folder, 'data.mdb'));

    await expect(EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS })).rejects.toMatchObject({
      code: 'LOG_FOREIGN',
    });

    expect(content.equals(await readFile(join(folder, 'data.mdb')))).toBe(true);
  });
});

async function countOf(log: EmbeddedEventLog, topic = 't'): Promise<number> {
  const count = (await log.ends([topic])).reduce((sum, { offset }) => sum + Number(offset), 0);
  const start = (): Promise<[]> => Promise.resolve([]);
  const reader = await log.openReader({ group: `count-${Math.random()}`, topics: [topic], start });
  return (await readCount(reader, count)).length;
}
