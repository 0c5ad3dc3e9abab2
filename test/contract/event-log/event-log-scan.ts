import { describe, expect, test } from 'vitest';
import type { EventLog, PartitionRecords, ScanOptions, ScanRange } from '../../../services/event-log/event-log.ts';
import { keyIn, placed, placeOf, readCount, record, records, values } from '../../support/event-log/event-log.ts';
import { type MakeBench, PARTITIONS } from './event-log-bench.ts';

const EVER = 2n ** 50n;

export function testScanning(makeBench: MakeBench): void {
  describe('scanning', () => {
    test('a scan brings every record of every range once, each partition in order', async () => {
      const { log, a, b } = await makeBench();
      const appended = await log.append([...records(a, 300), ...records(b, 100)]);

      const scanned = placed(await pieces(log, whole(a, b), { maxRecords: 7 }));

      expect(scanned.map(placeOf).toSorted()).toEqual(appended.map(placeOf).toSorted());
      for (const { topic, partition } of whole(a, b)) {
        const offsets = scanned.filter((one) => one.topic === topic && one.partition === partition);
        expect(offsets).toEqual(offsets.toSorted((one, other) => Number(one.offset - other.offset)));
      }
    });

    test('a scan brings records as a reader does', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 30));

      const scanned = placed(await pieces(log, whole(a)));

      const read = await readCount(await reader(), 30);
      const key = (one: { readonly key: Uint8Array }): string => Buffer.from(one.key).toString();
      const seen = (all: typeof read) => new Set(all.map((one) => `${placeOf(one)} ${one.appendedAtMs} ${key(one)}`));
      expect(seen(scanned)).toEqual(seen(read));
    });

    test.each([
      [0n, 4n],
      [3n, 4n],
      [5n, 17n],
      [19n, 20n],
    ])('a scan brings from %s to %s, the first with it and the last without', async (from, to) => {
      const { log, at, given } = await filled(makeBench);

      const scanned = placed(await pieces(log, [{ ...at, from, to }], { maxRecords: 5 }));

      expect(values(scanned)).toEqual(given.slice(Number(from), Number(to)));
      expect(scanned[0]!.offset).toBe(from);
    });

    test.each([
      ['empty', 4n, 4n],
      ['backwards', 4n, 3n],
      ['past the end', 20n, 30n],
      ['far past the end', EVER, EVER + 1n],
    ])('a scan brings nothing of a range that is %s', async (_, from, to) => {
      const { log, at } = await filled(makeBench);

      expect(await pieces(log, [{ ...at, from, to }])).toEqual([]);
    });

    test('a scan brings nothing of no ranges', async () => {
      const { log } = await makeBench();

      expect(await pieces(log, [])).toEqual([]);
    });

    test('a scan ends at the end known when it began where a range goes beyond', async () => {
      const { log, a, at, key, given } = await filled(makeBench);
      const scan = log.scan([{ ...at, from: 0n, to: EVER }], { maxRecords: 5 })[Symbol.asyncIterator]();
      const first = await scan.next();

      await log.append([record(a, key, 'late')]);

      const rest = await collect({ [Symbol.asyncIterator]: () => scan });
      expect(values(placed([first.value as PartitionRecords, ...rest]))).toEqual(given);
    });

    test('a scan takes no more records and bytes in one piece than asked for, one record at least', async () => {
      const { log, at } = await filled(makeBench, (i) => String(i).padStart(100, '0'));
      const range = { ...at, from: 0n, to: EVER };

      const [byCount, byBytes, tiny] = await Promise.all([
        pieces(log, [range], { maxRecords: 3 }),
        pieces(log, [range], { maxBytes: 450 }),
        pieces(log, [range], { maxBytes: 1 }),
      ]);

      const most = (all: readonly PartitionRecords[]): number => Math.max(...all.map(({ records: of }) => of.length));
      expect([most(byCount), most(byBytes), most(tiny)]).toEqual([3, 3, 1]);
      expect([byCount, byBytes, tiny].map((all) => placed(all).length)).toEqual([20, 20, 20]);
    });

    test('a scan ends with the reason of its signal, before and within', async () => {
      const { log, at } = await filled(makeBench);
      const aborting = new AbortController();
      const seen: PartitionRecords[] = [];
      const scanning = (async () => {
        for await (const piece of log.scan([{ ...at, from: 0n, to: EVER }], {
          maxRecords: 1,
          signal: aborting.signal,
        })) {
          seen.push(piece);
          if (seen.length === 2) aborting.abort(new Error('enough'));
        }
      })();

      await expect(scanning).rejects.toThrow('enough');

      expect(seen).toHaveLength(2);
      await expect(pieces(log, [{ ...at, from: 0n, to: EVER }], { signal: aborting.signal })).rejects.toThrow('enough');
    });

    test('a scan goes on twice at once, beside a reader whose position it does not move', async () => {
      const { log, a, reader } = await makeBench();
      await log.append(records(a, 200));
      const opened = await reader();
      const first = await readCount(opened, 1);

      const both = await Promise.all([
        pieces(log, whole(a), { maxRecords: 11 }),
        pieces(log, whole(a), { maxRecords: 3 }),
      ]);

      expect(both.map((all) => placed(all).length)).toEqual([200, 200]);
      const rest = await readCount(opened, 200 - first.length);
      expect(new Set([...first, ...rest].map(placeOf)).size).toBe(200);
      expect(opened.assigned()).toHaveLength(PARTITIONS);
    });

    test('a scan may be left, and begun again', async () => {
      const { log, at } = await filled(makeBench);
      for await (const piece of log.scan([{ ...at, from: 0n, to: EVER }], { maxRecords: 2 })) {
        expect(piece.records).toHaveLength(2);
        break;
      }

      expect(placed(await pieces(log, [{ ...at, from: 0n, to: EVER }]))).toHaveLength(20);
    });

    test('a scan is refused for a partition that the log does not have, and for two ranges of one', async () => {
      const { log, a } = await makeBench();
      const range = { topic: a, partition: PARTITIONS, from: 0n, to: 1n };

      await expect(pieces(log, [range])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(pieces(log, [...whole(a), ...whole(a)])).rejects.toThrow(RangeError);
    });

    test('a scan ends where the log is closed, and is refused after', async () => {
      const { log, at } = await filled(makeBench);
      const scan = log.scan([{ ...at, from: 0n, to: EVER }], { maxRecords: 1 })[Symbol.asyncIterator]();
      await scan.next();

      await log.close();

      await expect(scan.next()).rejects.toMatchObject({ code: 'STOPPING' });
      await expect(pieces(log, [{ ...at, from: 0n, to: EVER }])).rejects.toMatchObject({ code: 'STOPPING' });
    });

    test('the log says where the topics begin', async () => {
      const { log, a, b } = await makeBench();
      await log.append(records(a, 30));

      const beginnings = await log.beginnings([a, b]);

      expect(beginnings).toEqual([a, b].flatMap((topic) => [0, 1, 2].map((partition) => at(topic, partition))));
    });
  });
}

function at(topic: string, partition: number) {
  return { topic, partition, offset: 0n };
}

function whole(...topics: readonly string[]): readonly ScanRange[] {
  return topics.flatMap((topic) =>
    Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition, from: 0n, to: EVER })),
  );
}

/** Twenty records in one partition of topic `a`, put there by four appends. */
async function filled(makeBench: MakeBench, valueAt: (i: number) => string = String) {
  const bench = await makeBench();
  const key = keyIn(1, PARTITIONS);
  const given = Array.from({ length: 20 }, (_, i) => valueAt(i));
  for (let i = 0; i < 20; i += 5) await bench.log.append(given.slice(i, i + 5).map((one) => record(bench.a, key, one)));
  return { ...bench, given, key, at: { topic: bench.a, partition: 1 } };
}

function pieces(log: EventLog, ranges: readonly ScanRange[], options?: ScanOptions): Promise<PartitionRecords[]> {
  return collect(log.scan(ranges, options));
}

async function collect(scan: AsyncIterable<PartitionRecords>): Promise<PartitionRecords[]> {
  const all: PartitionRecords[] = [];
  for await (const piece of scan) all.push(piece);
  return all;
}
