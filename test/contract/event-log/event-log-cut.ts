import { describe, expect, test } from 'vitest';
import type { EventLog, LogCoordinates } from '../../../services/event-log/event-log.ts';
import { positionAfter } from '../../../services/event-log/identity.ts';
import { keyIn, PATIENT, readCount, record, scanTopic, values } from '../../support/event-log/event-log.ts';
import { type EventLogAbilities, type MakeBench, PARTITIONS } from './event-log-bench.ts';

const KEYS = Array.from({ length: PARTITIONS }, (_, partition) => keyIn(partition, PARTITIONS));

export function testCutting(makeBench: MakeBench, { cutsExactly }: EventLogAbilities): void {
  describe('cutting', () => {
    test('a cut deletes records before an offset, no other, and those that are left keep their offsets', async () => {
      const { log, a } = await makeBench();
      await fill(log, a, 1, 300);
      const before = await scanTopic(log, a);

      await log.cut([{ topic: a, partition: 1, offset: 200n }]);

      const [, beginning] = await bareOffsets(log.beginnings([a]));
      expect(beginning).toBeGreaterThan(0n);
      expect(beginning).toBeLessThanOrEqual(200n);
      if (cutsExactly) expect(beginning).toBe(200n);
      expect(await scanTopic(log, a)).toEqual(before.filter(({ offset }) => offset >= beginning!));
      expect(await bareOffsets(log.ends([a]))).toEqual([0n, 300n, 0n]);
    });

    test('a partition that is not named keeps all, also beside one that loses all', async () => {
      const { log, a, b } = await makeBench();
      for (let i = 0; i < 10; i++) {
        await fill(log, a, 0, 20);
        await fill(log, a, 1, 20);
        await fill(log, b, 1, 20);
      }

      await log.cut([{ topic: a, partition: 1, offset: 200n }]);

      const [kept, cut] = await bareOffsets(log.beginnings([a]));
      expect(kept).toBe(0n);
      if (cutsExactly) expect(cut).toBe(200n);
      expect((await scanTopic(log, a)).filter(({ partition }) => partition === 0)).toHaveLength(200);
      expect(await scanTopic(log, b)).toHaveLength(200);
    });

    test('a log of which all is cut goes on at its next offsets', async () => {
      const { log, a, b, reader } = await makeBench();
      await fill(log, a, 0, 100);
      await fill(log, a, 1, 50);
      const whole = await log.ends([a, b]);

      await log.cut(whole);

      expect(await log.beginnings([a, b])).toEqual(whole);
      expect(await log.ends([a, b])).toEqual(whole);
      expect([...(await scanTopic(log, a)), ...(await scanTopic(log, b))]).toEqual([]);
      const appended = await log.append([record(a, KEYS[0]!, 'next'), record(a, KEYS[2]!, 'first')]);
      expect(appended.map(({ partition, offset }) => [partition, offset])).toEqual([
        [0, 100n],
        [2, 0n],
      ]);
      expect(values(await readCount(await reader(), 2)).toSorted()).toEqual(['first', 'next']);
    });

    test('a partition of which all was cut before keeps no record of another from being cut', async () => {
      const { log, a, b } = await makeBench();
      await fill(log, a, 0, 100);
      await log.cut(await log.ends([a, b]));
      await fill(log, a, 1, 300);

      await log.cut([{ topic: a, partition: 1, offset: 300n }]);

      expect(await bareOffsets(log.beginnings([a]))).toEqual([100n, 300n, 0n]);
    });

    test('a reader without a position begins at the first record that is left', async () => {
      const { log, a, reader } = await makeBench();
      await fill(log, a, 1, 300);
      await log.cut([{ topic: a, partition: 1, offset: 200n }]);
      const left = await scanTopic(log, a);

      expect(await readCount(await reader(), left.length)).toEqual(left);
    });

    test('a reader goes on where its position is the beginning, and stops with LOG_REPLACED below', async () => {
      const { log, a, reader } = await makeBench();
      await fill(log, a, 1, 300);
      const all = await readCount(await reader(), 300);
      await log.cut([{ topic: a, partition: 1, offset: 200n }]);
      const [, beginning] = await bareOffsets(log.beginnings([a]));
      const behind = (count: number) => {
        const last = all[count - 1]!;
        return reader({ start: () => Promise.resolve([positionAfter(last, last)]) });
      };

      const left = all.slice(Number(beginning));
      expect(await readCount(await behind(Number(beginning)), left.length)).toEqual(left);
      const stopped = await behind(Number(beginning) - 1);
      await expect(stopped.poll(PATIENT)).rejects.toMatchObject({ code: 'LOG_REPLACED', retryable: false });
    });

    test('a reader loses nothing by a cut up to where it stands', async () => {
      const { log, a, reader } = await makeBench();
      await fill(log, a, 1, 300);
      const opened = await reader();
      const read = [...(await readCount(opened, 200, { ...PATIENT, maxRecords: 50 }))];

      await log.cut([{ topic: a, partition: 1, offset: BigInt(read.length) }]);

      read.push(...(await readCount(opened, 300 - read.length)));
      expect(read.map(({ offset }) => offset)).toEqual(Array.from({ length: 300 }, (_, offset) => BigInt(offset)));
    });

    test('a cut may be repeated, and one before the beginning changes nothing', async () => {
      const { log, a } = await makeBench();
      await fill(log, a, 1, 300);
      await log.cut([{ topic: a, partition: 1, offset: 200n }]);
      const beginnings = await log.beginnings([a]);

      await log.cut([{ topic: a, partition: 1, offset: 200n }]);
      await log.cut([{ topic: a, partition: 1, offset: 1n }]);
      await log.cut([{ topic: a, partition: 1, offset: 0n }]);
      await log.cut([]);

      expect(await log.beginnings([a])).toEqual(beginnings);
    });

    test('a cut beyond the end deletes what is there, and nothing that is appended later', async () => {
      const { log, a } = await makeBench();
      await fill(log, a, 1, 50);

      await log.cut([{ topic: a, partition: 1, offset: 2n ** 40n }]);
      await fill(log, a, 1, 50);

      expect((await scanTopic(log, a)).map(({ offset }) => offset)).toEqual(
        Array.from({ length: 50 }, (_, i) => BigInt(50 + i)),
      );
    });

    test('nothing that is appended during a cut is lost', async () => {
      const { log, a } = await makeBench();
      await fill(log, a, 1, 300);

      const [, appended] = await Promise.all([
        log.cut([{ topic: a, partition: 1, offset: 300n }]),
        Promise.all(Array.from({ length: 20 }, () => fill(log, a, 1, 10))),
      ]);

      expect(appended).toHaveLength(20);
      const offsets = (await scanTopic(log, a)).map(({ offset }) => offset).filter((offset) => offset >= 300n);
      expect(offsets).toEqual(Array.from({ length: 200 }, (_, i) => BigInt(300 + i)));
    });

    test.each([
      ['a partition that the log does not have', [PARTITIONS, 1n], { code: 'CONFIG_INVALID' }],
      ['a negative offset', [0, -1n], { name: 'RangeError' }],
    ] as const)('a cut is refused for %s, and deletes nothing', async (_, [partition, offset], refusal) => {
      const { log, a } = await makeBench();
      await fill(log, a, 0, 100);
      await fill(log, a, 1, 100);

      const places = [1, partition].map((one) => ({ topic: a, partition: one, offset: one === 1 ? 100n : offset }));

      await expect(log.cut(places)).rejects.toMatchObject(refusal);
      expect(await scanTopic(log, a)).toHaveLength(200);
    });

    test('a cut is refused for two offsets of one partition, and where the log is closed', async () => {
      const { log, a } = await makeBench();
      const spot = { topic: a, partition: 1, offset: 0n };

      await expect(log.cut([spot, spot])).rejects.toThrow(RangeError);
      await log.close();
      await expect(log.cut([spot])).rejects.toMatchObject({ code: 'STOPPING' });
    });
  });
}

/** Appends records of some 300 bytes to one partition, in batches. */
async function fill(log: EventLog, topic: string, partition: number, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 10) {
    const batch = Array.from({ length: Math.min(10, left) }, () => record(topic, KEYS[partition]!, 'x'.repeat(250)));
    await log.append(batch);
  }
}

async function bareOffsets(coordinates: Promise<readonly LogCoordinates[]>): Promise<readonly bigint[]> {
  return (await coordinates).map(({ offset }) => offset);
}
