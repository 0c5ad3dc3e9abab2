import { describe, expect, test } from 'vitest';
import type { Position, TopicPartition } from '../../../services/event-log/event-log.ts';
import { beginningOf, positionAfter } from '../../../services/event-log/identity.ts';
import {
  AT_ONCE,
  keyIn,
  PATIENT,
  placed,
  placeOf,
  readCount,
  record,
  records,
  values,
} from '../../support/event-log/event-log.ts';
import { type MakeBench, PARTITIONS } from './event-log-bench.ts';

export function testReading(makeBench: MakeBench): void {
  describe('reading', () => {
    test('a reader begins at the first record where no position is known, of its own topics only', async () => {
      const { log, a, b, reader } = await makeBench();
      await log.append([...records(a, 20), ...records(b, 20)]);

      const read = await readCount(await reader({ topics: [a] }), 20);

      expect(read).toHaveLength(20);
      expect(new Set(read.map(({ topic }) => topic))).toEqual(new Set([a]));
    });

    test('a reader asks where to start for the partitions that it holds', async () => {
      const { log, a, b, reader } = await makeBench();
      const asked: (readonly TopicPartition[])[] = [];
      await log.append(records(a, 1));

      const opened = await reader({
        topics: [a, b],
        start: (assigned) => Promise.resolve(asked.push(assigned)).then(() => []),
      });
      await readCount(opened, 1);

      expect(asked.at(-1)).toHaveLength(2 * PARTITIONS);
      expect(asked.at(-1)).toEqual(opened.assigned());
      expect(new Set(asked.at(-1)!.map(({ topic, partition }) => `${topic}/${partition}`)).size).toBe(2 * PARTITIONS);
    });

    test('a reader goes on from a position, other partitions from their beginning', async () => {
      const { log, a, reader } = await makeBench();
      const [here, there] = [keyIn(0, PARTITIONS), keyIn(1, PARTITIONS)];
      await log.append(['1', '2', '3'].map((value) => record(a, here, value)));
      await log.append([record(a, there, 'other')]);
      const first = await readCount(await reader(), 4);
      const after = positionAfter(
        { topic: a, partition: 0 },
        first.find(({ value }) => value.toString() === '2')!,
      );

      const again = await readCount(await reader({ start: () => Promise.resolve([after]) }), 2);

      expect(values(again).toSorted()).toEqual(['3', 'other']);
    });

    test('a reader begins at the first record from a position that says so', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 10));

      const opened = await reader({ start: (assigned) => Promise.resolve(assigned.map(beginningOf)) });

      expect(await readCount(opened, 10)).toHaveLength(10);
    });

    test('a reader asks again and delivers again after a restart', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 10));
      let positions: readonly Position[] = [];
      const opened = await reader({ start: () => Promise.resolve(positions) });
      const first = await readCount(opened, 10);
      positions = [...new Map(first.map((one) => [one.partition, positionAfter(one, one)])).values()].slice(1);

      opened.restart();

      const kept = new Set(positions.map(({ partition }) => partition));
      const again = await readCount(opened, first.filter(({ partition }) => !kept.has(partition)).length);
      expect(again).toEqual(first.filter(({ partition }) => !kept.has(partition)));
      expect(await opened.poll(AT_ONCE)).toEqual([]);
    });

    test('a reader asks again after it could not be told where to start', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 5));
      const answers = [Promise.reject(new Error('the store is unreachable')), Promise.resolve([])];
      answers[0]!.catch(() => undefined);
      const opened = await reader({ start: () => answers.shift()! });

      await expect(readCount(opened, 5)).rejects.toThrow('the store is unreachable');

      expect(await readCount(opened, 5)).toHaveLength(5);
    });

    test.each([
      ['of another record', (end: bigint) => ({ offset: end, identity: '0'.repeat(32) })],
      ['beyond the end', (end: bigint) => ({ offset: end + 1_000n, identity: '0'.repeat(32) })],
      ['of no record though it is past the beginning', (end: bigint) => ({ offset: end, identity: '' })],
    ])('a reader stops with LOG_REPLACED at a position %s', async (_, position) => {
      const { log, a, reader } = await makeBench();
      const [last] = (await log.append([record(a, keyIn(1, PARTITIONS), 'v')])).slice(-1);
      const start: Position = { topic: a, partition: 1, ...position(last!.offset + 1n) };

      const opened = await reader({ start: () => Promise.resolve([start]) });

      await expect(readCount(opened, 1)).rejects.toMatchObject({ code: 'LOG_REPLACED', retryable: false });
    });

    test('a reader takes no more records and bytes than asked for, in order, and loses none between polls', async () => {
      const { log, a, reader } = await makeBench();
      const given = Array.from({ length: 100 }, (_, i) => record(a, 'key', String(i).padStart(97, '0')));
      await log.append(given);
      const opened = await reader();
      const read: string[] = [];

      while (read.length < given.length) {
        const limits = read.length < 50 ? { maxRecords: 7, maxBytes: 2 ** 20 } : { maxRecords: 1_000, maxBytes: 350 };
        const polled = placed(await opened.poll({ ...limits, maxWaitMs: 20_000 }));
        expect(polled.length).toBeGreaterThanOrEqual(1);
        expect(polled.length).toBeLessThanOrEqual(read.length < 50 ? 7 : 3);
        read.push(...values(polled));
      }

      expect(read).toEqual(given.map(({ value }) => value.toString()));
    });

    test('a reader that is asked for some partitions brings records of these alone, and of the others later', async () => {
      const { log, a, b, reader } = await makeBench();
      const keys = [keyIn(0, PARTITIONS), keyIn(1, PARTITIONS)];
      await log.append([a, b].flatMap((topic) => keys.map((key) => record(topic, key, 'x'))));
      const opened = await reader({ topics: [a, b] });
      const of = [a, b].map((topic) => ({ topic, partition: 1 }));

      const asked = await readCount(opened, 2, { ...PATIENT, of });
      const none = await opened.poll({ ...AT_ONCE, of });
      const others = await readCount(opened, 2);

      const placesOf = (read: typeof asked) => new Set(read.map(placeOf));
      expect(placesOf(asked)).toEqual(new Set([`${a}/1@0`, `${b}/1@0`]));
      expect(none).toEqual([]);
      expect(placesOf(others)).toEqual(new Set([`${a}/0@0`, `${b}/0@0`]));
    });

    test('a reader takes at least one record, however large', async () => {
      const { log, a, reader } = await makeBench();
      await log.append([record(a, 'key', 'x'.repeat(5_000)), record(a, 'key', 'y'.repeat(5_000))]);

      const polled = placed(await (await reader()).poll({ ...PATIENT, maxBytes: 1 }));

      expect(polled.map(({ value }) => value.length)).toEqual([5_000]);
    });

    test.each([1, 10])('a reader lets no partition wait behind a long one, taking %d at a time', async (maxRecords) => {
      const { log, a, reader } = await makeBench();
      await log.append(Array.from({ length: 500 }, () => record(a, keyIn(0, PARTITIONS), 'many')));
      await log.append([record(a, keyIn(1, PARTITIONS), 'one'), record(a, keyIn(2, PARTITIONS), 'two')]);
      const opened = await reader();

      const read = await readCount(opened, 60, { ...PATIENT, maxRecords });

      expect(values(read).filter((value) => value !== 'many')).toEqual(expect.arrayContaining(['one', 'two']));
    });

    test('a reader resolves empty where there is nothing', async () => {
      const { reader } = await makeBench();
      const opened = await reader();

      expect(await opened.poll({ ...PATIENT, maxWaitMs: 30 })).toEqual([]);
      expect(await opened.poll(AT_ONCE)).toEqual([]);
    });

    test('a reader waits for a record and brings it', async () => {
      const { log, a, reader } = await makeBench();
      const opened = await reader();
      await opened.poll(AT_ONCE);

      const waiting = readCount(opened, 1);
      await log.append([record(a, 'key', 'late')]);

      expect(values(await waiting)).toEqual(['late']);
    });

    test('a reader gives records that stay as they are', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 50, 'first'));
      const opened = await reader();
      const first = await readCount(opened, 50);
      const before = structuredClone(first);

      await log.append(records(a, 2_000, 'second'));
      await readCount(opened, 2_000);

      expect(values(first)).toEqual(values(before));
    });

    test('whoever polls on after the log was closed leaves timers their turn', async () => {
      const { log, reader } = await makeBench();
      const opened = await reader();
      await log.close();
      const timer = { isOver: false };
      setTimeout(() => (timer.isOver = true), 1);

      for (let polls = 0; !timer.isOver && polls < 100_000; polls++) expect(await opened.poll(PATIENT)).toEqual([]);

      expect(timer.isOver).toBe(true);
    });

    test('the log says where the topics end', async () => {
      const { log, a, b } = await makeBench();
      const before = await log.ends([a, b]);

      const appended = await log.append(records(b, 30));

      expect(before.map(({ offset }) => offset)).toEqual(Array.from({ length: 2 * PARTITIONS }, () => 0n));
      const ends = await log.ends([b]);
      expect(ends.map(({ topic, partition }) => [topic, partition])).toEqual([0, 1, 2].map((n) => [b, n]));
      for (const { partition, offset } of ends) {
        const last = appended.findLast((one) => one.partition === partition)!;
        expect(offset).toBe(last.offset + 1n);
      }
    });
  });
}
