import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { readCount, records } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TOPICS = ['t'];

describe('the folder of an embedded log', () => {
  const openLog = (folder: string, topics: readonly string[] = TOPICS, partitions?: number) => {
    return EmbeddedEventLog.open({ folder, topics, partitions });
  };

  test.each(['', 'not/there/yet'])('an empty or absent folder becomes a new log (%j)', async (below) => {
    const folder = join(await temporaryFolder(), below);

    const log = await openLog(folder);

    expect(await log.append(records('t', 1))).toHaveLength(1);
    await log.close();
  });

  test('a log that is opened again keeps its records and stores more', async () => {
    const folder = await temporaryFolder();
    for (let round = 0; round < 3; round++) {
      const log = await openLog(folder);
      await log.append(records('t', 10));
      await log.close();
    }

    const log = await openLog(folder);

    expect(await countOf(log)).toBe(30);
    await log.close();
  });

  test('several openers that create a log at the same instant share one log', async () => {
    const folder = await temporaryFolder();

    const logs = await Promise.all([1, 2, 3, 4].map(() => openLog(folder)));

    await Promise.all(logs.map((log) => log.append(records('t', 10))));
    expect(await countOf(logs[0]!)).toBe(40);
    await Promise.all(logs.map((log) => log.close()));
  });

  test('a log keeps its number of partitions: another is refused, and none requested keeps it', async () => {
    const folder = await temporaryFolder();
    await (await openLog(folder, TOPICS, 6)).close();

    const other = openLog(folder, TOPICS, 4);

    await expect(other).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const log = await openLog(folder);
    expect(await log.ends(TOPICS)).toHaveLength(6);
    await log.close();
  });

  test('a log gains topics with as many partitions as the others, and keeps what it has', async () => {
    const folder = await temporaryFolder();
    const before = await openLog(folder, TOPICS, 3);
    await before.append(records('t', 10));

    const grown = await openLog(folder, ['later', 't']);
    await Promise.all([grown.append(records('later', 10)), before.append(records('t', 10))]);

    expect(await grown.ends(['later'])).toHaveLength(3);
    expect([await countOf(grown, 'later'), await countOf(before)]).toEqual([10, 20]);
    await Promise.all([grown.close(), before.close()]);
  });
  test('a folder with other files is refused, and left unchanged', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'thesis.txt'), 'years of work');

    await expect(openLog(folder)).rejects.toMatchObject({
      code: 'LOG_FOREIGN',
    });

    expect(await readdir(folder)).toEqual(['thesis.txt']);
  });

  test('a file in place of the folder is refused', async () => {
    const folder = join(await temporaryFolder(), 'file');
    await writeFile(folder, 'x');

    await expect(openLog(folder)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});

async function countOf(log: EmbeddedEventLog, topic = 't'): Promise<number> {
  const count = (await log.ends([topic])).reduce((sum, { offset }) => sum + Number(offset), 0);
  const start = (): Promise<[]> => Promise.resolve([]);
  const reader = await log.openReader({ group: `count-${Math.random()}`, topics: [topic], start });
  return (await readCount(reader, count)).length;
}
