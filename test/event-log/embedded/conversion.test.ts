import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreOpener } from '../../../services/app/open-stores.ts';
import { openStoredLog } from '../../../services/event-log/lmdb/stored-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { openLogger } from '../../../services/runtime/logger.ts';
import { contentIn, contentOfOldLog, type LogContent, putOldLog, TOPICS } from '../../support/event-log/old-log.ts';
import { record } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function filledFolder(): Promise<{ readonly folder: string; readonly content: LogContent }> {
  const folder = await temporaryFolder();
  await putOldLog(folder);
  return { folder, content: contentOfOldLog() };
}

function open(folder: string) {
  return openEventLog(`log:${folder}`, { topics: TOPICS });
}

/** Fails to open, and leaves the log as it is. */
async function expectUnconverted(folder: string, error: object): Promise<void> {
  const before = await readFile(join(folder, 'data.mdb'));
  const opening = open(folder).then((log) => log.close());
  await expect(opening).rejects.toMatchObject(error);
  expect((await readFile(join(folder, 'data.mdb'))).equals(before)).toBe(true);
  expect(await readdir(folder)).not.toContain('converting');
}

describe('a log in LMDB that is opened as one of segments', () => {
  test('a converted log has every record at its offset with its time, and what each group has committed', async () => {
    const { folder, content } = await filledFolder();

    expect(await contentIn(folder)).toEqual(content);
    expect(content.records.size).toBe(600);
    expect(content.committed).toHaveLength(2);
    expect(await contentIn(folder)).toEqual(content);
  });

  test('a converted log has the chunks byte for byte, and the old one is left under another name', async () => {
    const { folder } = await filledFolder();
    const old = await readFile(join(folder, 'data.mdb'));
    const log = openStoredLog(folder);
    const chunks = log.layout.partitions.flatMap((partition) => {
      return [...log.chunks(partition)].map(({ bytes }) => bytes);
    });
    log.close();

    await (await open(folder)).close();

    const names = (await readdir(folder)).toSorted();
    expect(names).toEqual([
      '.lock',
      expect.stringMatching(/^0000000001-[0-9a-f]{16}\.log$/),
      'data.mdb.converted',
      'head',
    ]);
    expect((await readFile(join(folder, 'data.mdb.converted'))).equals(old)).toBe(true);
    const segment = await readFile(join(folder, names[1]!));
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.filter((chunk) => !segment.includes(chunk))).toEqual([]);
  });

  test('the old one is removed when a record is erased', async () => {
    const { folder } = await filledFolder();
    const log = await open(folder);
    onTestFinished(() => log.close());

    const [first] = (await log.ends(TOPICS)).filter(({ offset }) => offset > 0n);
    expect(await log.erase?.([{ ...first!, offset: 0n }])).toBe(1);

    expect(await readdir(folder)).not.toContain('data.mdb.converted');
  });

  test('a converted log goes on at the next offset of each partition', async () => {
    const { folder, content } = await filledFolder();
    const log = await open(folder);
    onTestFinished(() => log.close());
    const ends = new Map((await log.ends(TOPICS)).map((one) => [`${one.topic}/${one.partition}`, one.offset]));

    const [appended] = await log.append([record('t', 'key-1', 'after')]);

    expect(appended!.offset).toBe(ends.get(`t/${appended!.partition}`));
    expect([...ends.values()].reduce((sum, end) => sum + Number(end), 0)).toBe(content.records.size);
  });

  test('a conversion reports how far it has come', async () => {
    const { folder } = await filledFolder();
    const lines: unknown[] = [];
    const logger = { info: (...line: readonly unknown[]) => lines.push(line) };

    const log = await openEventLog(`log:${folder}`, { topics: TOPICS, logger });
    await log.close();

    expect(lines).toEqual([
      [{ folder, records: 0, of: 600 }, 'converting the event log'],
      [{ folder, kept: 'data.mdb.converted' }, 'the event log is converted'],
    ]);
  });
});

describe('a log in LMDB that cannot be converted', () => {
  test('a damaged log is refused with the record that is lost', async () => {
    const { folder } = await filledFolder();
    const file = join(folder, 'data.mdb');
    const damaged = await readFile(file);
    for (let at = damaged.indexOf('value-150'); at >= 0; at = damaged.indexOf('value-150', at + 1)) damaged[at]! ^= 1;
    await writeFile(file, damaged);

    const message = expect.stringMatching(
      /is not converted, and is left as it is: .*has lost the record at offset \d+/,
    );
    await expectUnconverted(folder, { code: 'LOG_DAMAGED', message });
  });

  test('a log is refused where its file was cut short', async () => {
    const { folder } = await filledFolder();
    const file = join(folder, 'data.mdb');
    await truncate(file, 4_096 * 20);

    await expectUnconverted(folder, { code: 'LOG_DAMAGED', message: expect.stringContaining('is left as it is') });
  });

  test('a log is refused where the disk has no room for it twice', async () => {
    const { folder, content } = await filledFolder();
    const file = join(folder, 'data.mdb');
    const { size } = await stat(file);
    // A hole, which takes nothing of the disk: only its length is looked at.
    await truncate(file, 2 ** 43);

    const opening = open(folder).then((log) => log.close());

    await expect(opening).rejects.toMatchObject({
      code: 'LOG_UNAVAILABLE',
      message: expect.stringContaining('of free space'),
    });
    await truncate(file, size);
    expect(await contentIn(folder)).toEqual(content);
  });

  test('a log is refused where the folder holds anything else, such as segments', async () => {
    const { folder } = await filledFolder();
    await writeFile(join(folder, '0000000001-0123456789abcdef.log'), 'segment');

    await expectUnconverted(folder, { code: 'LOG_FOREIGN', message: expect.stringContaining('0000000001-') });
  });
});

describe('a conversion that did not end', () => {
  test('a process that is stopped ends its conversion, and leaves the log as it is', async () => {
    const { folder, content } = await filledFolder();
    const dataDir = await temporaryFolder();
    const config = readConfig({ DATA_DIR: dataDir, EVENT_LOG_URL: `log:${folder}`, EVENT_LOG_PARTITIONS: '3' });
    const stopping = new AbortController();
    const { logger } = openLogger('silent');
    const stopsAtFirstLine = Object.assign(Object.create(logger) as typeof logger, { info: () => stopping.abort() });

    const opening = new StoreOpener(config, stopsAtFirstLine, stopping.signal).log();

    await expect(opening).rejects.toMatchObject({ code: 'STOPPING' });
    expect((await readdir(folder)).toSorted()).toEqual(['.lock', 'data.mdb', 'lock.mdb']);
    expect(await contentIn(folder)).toEqual(content);
  });

  test('a conversion that did not end begins again, without what it had copied', async () => {
    const { folder, content } = await filledFolder();
    await mkdir(join(folder, 'converting'));
    await writeFile(join(folder, 'converting', '0000000001-0123456789abcdef.log'), 'half of a log');

    expect(await contentIn(folder)).toEqual(content);
  });

  test('a folder is no log where both the old one and the name of a converted one are missing', async () => {
    const { folder } = await filledFolder();
    await mkdir(join(folder, 'converting'));
    await rm(join(folder, 'data.mdb'));

    await expect(open(folder)).rejects.toMatchObject({ code: 'LOG_DAMAGED' });
    expect(await readdir(folder)).toContain('converting');
  });
});
