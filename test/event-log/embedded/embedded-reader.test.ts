import { describe, expect, test } from 'vitest';
import type { LogReader, ReaderOptions } from '../../../services/event-log/event-log.ts';
import type { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import {
  AT_ONCE,
  keyIn,
  PATIENT,
  placed,
  readCount,
  record,
  records,
  values,
} from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PARTITIONS = 4;

describe('a reader of an embedded log', () => {
  const opened = (folder: string): Promise<EmbeddedEventLog> => openEmbedded(folder, ['t'], PARTITIONS);

  test('a reader divides its limits evenly among the partitions that have records', async () => {
    const log = await opened(await temporaryFolder());
    const keys = [0, 2, 3].map((partition) => keyIn(partition, PARTITIONS));
    await log.append(keys.flatMap((key) => Array.from({ length: 100 }, () => record('t', key, 'x'.repeat(100)))));
    const reader = await readerOf(log);

    const byCount = await reader.poll({ ...PATIENT, maxRecords: 30 });
    const bySize = await reader.poll({ ...PATIENT, maxBytes: 30 * 136 });

    for (const polled of [byCount, bySize]) {
      const counts = new Map(polled.map(({ partition, records: taken }) => [partition, taken.length]));
      expect(counts).toEqual(new Map([0, 2, 3].map((partition) => [partition, 10])));
    }
  });

  test('what one partition does not use is left to the next ones', async () => {
    const log = await opened(await temporaryFolder());
    await log.append([record('t', keyIn(0, PARTITIONS), 'few')]);
    await log.append(Array.from({ length: 100 }, () => record('t', keyIn(1, PARTITIONS), 'many')));

    const polled = await (await readerOf(log)).poll({ ...PATIENT, maxRecords: 50 });

    expect(polled.map((one) => one.records.length)).toEqual([1, 49]);
  });

  test('a position of an unknown partition is LOG_REPLACED', async () => {
    const log = await opened(await temporaryFolder());
    const lost = { topic: 't', partition: 7, offset: 1n, identity: '0'.repeat(32) };

    const reader = await readerOf(log, { start: () => Promise.resolve([lost]) });

    await expect(reader.poll(AT_ONCE)).rejects.toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a reader ignores start positions that arrive after a restart', async () => {
    const log = await opened(await temporaryFolder());
    await log.append([record('t', 'key', '1'), record('t', 'key', '2')]);
    const answers: (() => void)[] = [];
    const reader = await readerOf(log, { start: () => new Promise((resolve) => answers.push(() => resolve([]))) });

    const poll = readCount(reader, 2);
    await expect.poll(() => answers.length).toBe(1);
    reader.restart();
    answers[0]!();
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!();

    expect(values(await poll)).toEqual(['1', '2']);
  });

  test('a waiting reader gets what another instance on the same folder appends', async () => {
    const folder = await temporaryFolder();
    const [log, other] = [await opened(folder), await opened(folder)];
    const reader = await readerOf(log);
    await reader.poll(AT_ONCE);

    const poll = reader.poll(PATIENT);
    await other.append(records('t', 1));

    expect(placed(await poll)).toHaveLength(1);
  });

  test('a reader continues within the chunks of a growing log', async () => {
    const log = await opened(await temporaryFolder());
    const reader = await readerOf(log);
    const read: string[] = [];

    for (let round = 0; round < 20; round++) {
      await log.append(Array.from({ length: 50 }, (_, i) => record('t', 'key', `${round * 50 + i}`)));
      read.push(...values(placed(await reader.poll({ ...PATIENT, maxRecords: 37 }))));
    }
    while (read.length < 1_000) read.push(...values(placed(await reader.poll(PATIENT))));

    expect(read).toEqual(Array.from({ length: 1_000 }, (_, i) => String(i)));
  });
});

function readerOf(log: EmbeddedEventLog, options: Partial<ReaderOptions> = {}): Promise<LogReader> {
  return log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]), ...options });
}
