import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../../services/event-log/event-log.ts';
import { partitionOf } from '../../../services/event-log/partition.ts';
import { isRetryable } from '../../../services/runtime/errors.ts';
import { placeOf, readCount, record, records, text, values } from '../../support/event-log/event-log.ts';
import { type EventLogAbilities, type MakeBench, PARTITIONS } from './event-log-bench.ts';

export function testAppending(makeBench: MakeBench, { denseOffsets, atomicAppends }: EventLogAbilities): void {
  describe('appending', () => {
    test('an append answers in the order given, with the partition of the murmur2 of the key', async () => {
      const { log, a, b } = await makeBench();
      const given = [...records(a, 50), ...records(b, 50)];

      const appended = await log.append(given);

      expect(appended.map(({ topic, partition }) => ({ topic, partition }))).toEqual(
        given.map(({ topic, key }) => ({ topic, partition: partitionOf(key, PARTITIONS) })),
      );
    });

    test('an append gives offsets that rise within a partition', async () => {
      const { log, a } = await makeBench();

      const appended = [...(await log.append(records(a, 40))), ...(await log.append(records(a, 40)))];

      for (let partition = 0; partition < PARTITIONS; partition++) {
        const offsets = appended.filter((one) => one.partition === partition).map(({ offset }) => offset);
        expect(offsets.length).toBeGreaterThan(1);
        expect(offsets.every((offset, i) => i === 0 || offset > (offsets[i - 1] as bigint))).toBe(true);
      }
    });

    test.runIf(denseOffsets)('a partition begins at offset 0 and has no gaps', async () => {
      const { log, a } = await makeBench();

      const appended = (await Promise.all(Array.from({ length: 20 }, () => log.append(records(a, 5))))).flat();

      for (let partition = 0; partition < PARTITIONS; partition++) {
        const offsets = appended.filter((one) => one.partition === partition).map(({ offset }) => Number(offset));
        expect(offsets.toSorted((x, y) => x - y)).toEqual(offsets.map((_, i) => i));
      }
    });

    test('many appends at once put every record where they say', async () => {
      const { log, a, b, reader } = await makeBench();
      const batches = Array.from({ length: 60 }, (_, i) => records(i % 2 === 0 ? a : b, 1 + (i % 30), `batch-${i}`));

      const appended = await Promise.all(batches.map((batch) => log.append(batch)));

      const said = appended.flatMap((batch, i) => batch.map((one, j) => [placeOf(one), text(batches[i]![j]!.value)]));
      const read = await readCount(await reader({ topics: [a, b] }), said.length);
      expect(read).toHaveLength(said.length);
      expect(Object.fromEntries(read.map((one) => [placeOf(one), text(one.value)]))).toEqual(Object.fromEntries(said));
    });

    test("an append keeps the order of a key's records, within a call and from call to call", async () => {
      const { log, a, reader } = await makeBench();
      const steps = (from: number): NewRecord[] =>
        Array.from({ length: 30 }, (_, i) => record(a, 'same', `${from + i}`));

      await log.append(steps(0));
      await log.append(steps(30));

      const read = await readCount(await reader(), 60);
      expect(values(read)).toEqual(Array.from({ length: 60 }, (_, i) => String(i)));
    });

    test('an append keeps bytes as they are: none, all values, many', async () => {
      const { log, a, reader } = await makeBench();
      const all = Uint8Array.from({ length: 256 }, (_, i) => i);
      const many = new Uint8Array(600_000).map((_, i) => i * 7);
      const given = [new Uint8Array(0), all, many].map((value) => ({ topic: a, key: all, value }));

      await log.append(given);

      const read = await readCount(await reader(), 3);
      expect(read.map(({ key, value }) => [Buffer.compare(key, all), value.length])).toEqual([
        [0, 0],
        [0, 256],
        [0, 600_000],
      ]);
      expect(read.every(({ value }, i) => Buffer.compare(value, given[i]!.value) === 0)).toBe(true);
    });

    test("an append tells when it took a record, by the log's clock, the same to the writer and the reader", async () => {
      const { log, a, reader } = await makeBench();
      const beforeMs = Date.now();

      const appended = await log.append(records(a, 3));

      const times = appended.map(({ appendedAtMs }) => appendedAtMs);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(beforeMs - 5_000);
      expect(Math.max(...times)).toBeLessThanOrEqual(Date.now() + 5_000);
      const read = await readCount(await reader(), 3);
      expect(new Map(read.map((one) => [placeOf(one), one.appendedAtMs]))).toEqual(
        new Map(appended.map((one) => [placeOf(one), one.appendedAtMs])),
      );
    });

    test('an append of nothing resolves to nothing', async () => {
      const { log } = await makeBench();

      await expect(log.append([])).resolves.toEqual([]);
    });

    test('the log rejects records for a topic that it does not have, and goes on', async () => {
      const { log, a } = await makeBench();

      await expect(log.append([record(`${a}-unknown`, 'k', 'v')])).rejects.toThrow('unknown');

      await expect(log.append(records(a, 1))).resolves.toHaveLength(1);
    });

    test.runIf(atomicAppends)('an append that rejects leaves nothing', async () => {
      const { log, a } = await makeBench();

      await log.append([record(a, 'k', 'v'), record(`${a}-unknown`, 'k', 'v')]).catch(() => undefined);

      expect((await log.ends([a])).map(({ offset }) => offset)).toEqual([0n, 0n, 0n]);
    });

    test('the log takes a record while it says that it can', async () => {
      const { log, a } = await makeBench();

      await expect(log.check()).resolves.toBeUndefined();

      await expect(log.append(records(a, 1))).resolves.toHaveLength(1);
    });

    test('closing the log finishes what is under way; later appends are refused as retryable', async () => {
      const { log, a } = await makeBench();
      const underWay = Promise.all(Array.from({ length: 10 }, () => log.append(records(a, 10))));

      const closed = log.close();

      const late = await log.append(records(a, 1)).catch((error: unknown) => error);
      expect(isRetryable(late)).toBe(true);
      await expect(underWay).resolves.toHaveLength(10);
      await expect(Promise.all([closed, log.close()])).resolves.toBeDefined();
    });
  });
}
