import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { NODE_FILES } from '../../../../services/event-log/embedded/segments/files.ts';
import { SharedLog } from '../../../../services/event-log/embedded/segments/shared-log.ts';
import { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

function openLog(folder: string): SegmentStore {
  return SegmentStore.open({ folder, topics: ['t'], partitions: undefined });
}

describe('the folder of a log of segments', () => {
  test('a closed log is a segment, its head and the file that is locked', async () => {
    const folder = await temporaryFolder();

    await openLog(folder).close();

    const names = (await readdir(folder)).toSorted();
    expect(names).toEqual(['.lock', expect.stringMatching(/^0000000001-[0-9a-f]{16}\.log$/), 'head']);
  });

  test('the folders that are made for a log outlive a power cut: their names are flushed', async () => {
    const above = await temporaryFolder();
    const folder = join(above, 'data', 'log');
    const flushed: string[] = [];
    const flushFolder = (path: string): void => {
      flushed.push(path);
      NODE_FILES.flushFolder(path);
    };

    const files = { ...NODE_FILES, flushFolder };
    const store = SegmentStore.open({ folder, topics: ['t'], partitions: undefined, files, shared: new SharedLog() });
    await store.close();

    expect(flushed.slice(0, 2).toSorted()).toEqual([above, join(above, 'data')]);
  });

  test('a folder may be the root of a file system, and hold what a crash left', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, 'trial-0123456789abcdef'), Buffer.alloc(5_000));
    await writeFile(join(folder, 'redo.new'), 'not finished');
    await writeFile(join(folder, '0000000001-0123456789abcdef.log'), Buffer.alloc(100));

    await openLog(folder).close();

    expect((await readdir(folder)).toSorted()).toEqual([
      '.lock',
      expect.stringMatching(/^0000000001-(?!0123456789abcdef)/),
      'head',
      'lost+found',
    ]);
  });

  test('a log whose head is of a newer version is refused, and left unchanged', async () => {
    const folder = await temporaryFolder();
    await openLog(folder).close();
    const head = await readFile(join(folder, 'head'));
    head.writeUInt32LE(2, 8);
    head.writeUInt32LE(crc32(head.subarray(8)), 4);
    await writeFile(join(folder, 'head'), head);
    const before = await contentsOf(folder);

    expect(() => openLog(folder)).toThrow(expect.objectContaining({ code: 'LOG_FOREIGN' }));

    expect(await contentsOf(folder)).toEqual(before);
  });

  test.each([
    ['a log of version 0.2', ['data.mdb']],
    ['a log whose conversion by version 0.3 has not ended', ['converting', 'data.mdb.converted']],
  ])('%s is refused with the version to start once, and left unchanged', async (_, names) => {
    const folder = await temporaryFolder();
    for (const name of names) await writeFile(join(folder, name), 'years of work');

    expect(() => openLog(folder)).toThrow(
      expect.objectContaining({
        code: 'LOG_FOREIGN',
        message: `${folder} holds an event log of version 0.2: start version 0.3.0 once on it, then this version`,
      }),
    );

    expect((await readdir(folder)).toSorted()).toEqual(names);
  });

  test('a log that version 0.3 converted opens, and erasing a record removes the log of version 0.2', async () => {
    const folder = await temporaryFolder();
    await openLog(folder).close();
    await writeFile(join(folder, 'data.mdb.converted'), 'years of work');
    const store = openLog(folder);

    const erased = store.erase([]);
    await store.close();

    expect(erased).toBe(0);
    expect(await readdir(folder)).not.toContain('data.mdb.converted');
  });

  test('a folder without segments whose head is there is refused as damaged', async () => {
    const folder = await temporaryFolder();
    await openLog(folder).close();
    const head = await readFile(join(folder, 'head'));
    const other = await temporaryFolder();
    await writeFile(join(other, 'head'), head);

    expect(() => openLog(other)).toThrow(expect.objectContaining({ code: 'LOG_DAMAGED' }));
  });

  test('a redo file that is damaged is refused, as records may not be erased', async () => {
    const folder = await temporaryFolder();
    await openLog(folder).close();
    await writeFile(join(folder, 'redo'), 'damaged');

    expect(() => openLog(folder)).toThrow(expect.objectContaining({ code: 'LOG_DAMAGED' }));
  });
});

async function contentsOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'hex')] as const));
}
