import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blankRecord, withoutBlank } from '../../../../services/event-log/blank.ts';
import type { LogPartition } from '../../../../services/event-log/embedded/segments/layout.ts';
import { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import type { LogRecord } from '../../../../services/event-log/event-log.ts';
import { text } from '../../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { chunkOf } from './scene.ts';

/** A store of a topic `t` with two partitions, whose files are so small that some commits fill one. */
async function bench() {
  const folder = await temporaryFolder();
  const openAgain = () => SegmentStore.open({ folder, topics: ['t'], partitions: 2, segmentBytes: 1_000 });
  const store = openAgain();
  onTestFinished(() => store.close());
  const contents = async (): Promise<readonly Buffer[]> => {
    return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  };
  return {
    folder,
    store,
    openAgain,
    one: store.layout.partitionAt(0),
    other: store.layout.partitionAt(1),
    holds: async (bytes: string) => (await contents()).some((content) => content.includes(bytes)),
    size: async () => (await contents()).reduce((sum, { length }) => sum + length, 0),
  };
}

describe('erasing records of segments', () => {
  test('an erased record is blank, with its offset and time, and a read goes on behind it', async () => {
    const { store, one } = await bench();
    append(store, one, ['a', 'b', 'c']);

    expect(store.erase([{ partition: one, offset: 1 }])).toBe(1);

    expect(valuesOf(store, one)).toEqual(['0 a', '2 c']);
    expect(readAt(store, one, 1)).toEqual({ records: [blankRecord({ offset: 1n, appendedAtMs: 7 })], next: 2 });
  });

  test('the bytes of an erased record are in no file any more, those of its neighbours are', async () => {
    const { store, one, holds } = await bench();
    append(store, one, ['neighbour', 'to be erased', 'another']);
    expect(await holds('to be erased')).toBe(true);

    store.erase([{ partition: one, offset: 1 }]);

    expect([await holds('to be erased'), await holds('neighbour'), await holds('another')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('records of several chunks, partitions and files are erased at once', async () => {
    const { store, one, other } = await bench();
    for (let i = 0; i < 20; i++) {
      append(store, one, [`x${i}`, `y${i}`]);
      append(store, other, [`z${i}`]);
    }
    const erased = [0, 1, 17, 39].map((offset) => ({ partition: one, offset }));

    expect(store.erase([...erased, { partition: other, offset: 19 }])).toBe(5);

    expect(valuesOf(store, one)).toHaveLength(36);
    expect(valuesOf(store, other)).toEqual(Array.from({ length: 19 }, (_, i) => `${i} z${i}`));
  });

  test('a record that is blank already is not counted again', async () => {
    const { store, one } = await bench();
    append(store, one, ['a', 'b']);
    store.erase([{ partition: one, offset: 0 }]);

    expect(store.erase([{ partition: one, offset: 0 }])).toBe(0);
    expect(store.erase([0, 1].map((offset) => ({ partition: one, offset })))).toBe(1);
    expect(valuesOf(store, one)).toEqual([]);
  });

  test('ends, times and later records are the same after an erasure', async () => {
    const { store, one } = await bench();
    append(store, one, ['a', 'b']);
    store.erase([{ partition: one, offset: 0 }]);
    append(store, one, ['c']);

    expect(valuesOf(store, one)).toEqual(['1 b', '2 c']);
    expect(store.withLatest(() => store.ends()[0])).toBe(3);
    expect(recordsOf(store, one).map(({ appendedAtMs }) => appendedAtMs)).toEqual([7, 7, 7]);
  });

  test('another store on the log sees the erasure, though it has read the record before', async () => {
    const { store, one, openAgain } = await bench();
    append(store, one, ['a', 'b']);
    const second = openAgain();
    onTestFinished(() => second.close());
    expect(valuesOf(second, one)).toEqual(['0 a', '1 b']);

    store.erase([{ partition: one, offset: 0 }]);

    expect(valuesOf(second, one)).toEqual(['1 b']);
  });

  test('records that were read before an erasure stay as they are', async () => {
    const { store, one } = await bench();
    append(store, one, ['kept by its reader']);
    const [read] = recordsOf(store, one);

    store.erase([{ partition: one, offset: 0 }]);

    expect(text(read!.value)).toBe('kept by its reader');
  });
});

describe('cutting the beginning of segments', () => {
  test('a cut deletes whole files of records below the offsets, gives their space back and says where the log begins', async () => {
    const { store, one, other, size } = await bench();
    for (let i = 0; i < 30; i++) append(store, i % 2 === 0 ? one : other, [`x${i}`.repeat(20)]);
    const before = await size();

    store.cut(Float64Array.from([10, 10]));

    const beginnings = store.withLatest(() => store.beginnings());
    expect(beginnings[0]).toBeGreaterThan(0);
    expect(Math.max(...beginnings)).toBeLessThanOrEqual(10);
    expect(await size()).toBeLessThan(before);
    expect(valuesOf(store, one)[0]).toMatch(new RegExp(`^${beginnings[0]} `));
    expect(valuesOf(store, one)).toHaveLength(15 - beginnings[0]!);
  });

  test('a cut of all records leaves none of them, and the log goes on behind', async () => {
    const { store, one, openAgain, size } = await bench();
    for (let i = 0; i < 3; i++) append(store, one, [`x${i}`.repeat(1_000)]);

    store.cut(Float64Array.from([3, 0]));
    store.cut(Float64Array.from([3, 0]));

    expect([...store.withLatest(() => store.beginnings())]).toEqual([3, 0]);
    expect(await size()).toBeLessThan(2_000);
    append(store, one, ['next']);
    for (const opened of [store, openAgain()]) {
      expect(valuesOf(opened, one)).toEqual(['3 next']);
      if (opened !== store) await opened.close();
    }
  });

  test('nothing is cut where one partition still has a record in the first file', async () => {
    const { store, one, other } = await bench();
    for (let i = 0; i < 30; i++) append(store, i % 2 === 0 ? one : other, [`x${i}`.repeat(20)]);

    store.cut(Float64Array.from([15, 0]));

    expect([...store.withLatest(() => store.beginnings())]).toEqual([0, 0]);
    expect(valuesOf(store, one)).toHaveLength(15);
  });

  test('a partition of which all was cut before keeps no file of another from being cut', async () => {
    const { store, one, other } = await bench();
    append(store, one, ['x']);
    store.cut(Float64Array.from([1, 0]));
    for (let i = 0; i < 30; i++) append(store, other, [`x${i}`.repeat(20)]);

    store.cut(Float64Array.from([0, 30]));

    expect([...store.withLatest(() => store.beginnings())]).toEqual([1, 30]);
  });

  test('a cut of one file at most deletes the next one when it is repeated, until nothing is left to delete', async () => {
    const { store, one, size } = await bench();
    for (let i = 0; i < 30; i++) append(store, one, [`x${i}`.repeat(20)]);
    const [sizes, beginnings] = [[await size()], [0]];

    while (store.cut(Float64Array.from([25, 0]), 1)) {
      sizes.push(await size());
      beginnings.push(store.withLatest(() => store.beginnings()[0]!));
    }

    expect(beginnings.length).toBeGreaterThan(3);
    expect(beginnings).toEqual([...new Set(beginnings)].toSorted((a, b) => a - b));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(beginnings.at(-1)).toBeLessThanOrEqual(25);
    expect(valuesOf(store, one)[0]).toMatch(new RegExp(`^${beginnings.at(-1)} `));
  });

  test('a log that was converted goes with the first file that is cut, as it has its records too', async () => {
    const { store, one, folder } = await bench();
    await writeFile(join(folder, 'data.mdb.converted'), '');
    append(store, one, ['x']);
    store.cut(Float64Array.from([0, 0]));
    expect(await readdir(folder)).toContain('data.mdb.converted');

    store.cut(Float64Array.from([1, 0]));

    expect(await readdir(folder)).not.toContain('data.mdb.converted');
  });

  test('a record that was cut is refused as replaced, and those after it are there, when opened again too', async () => {
    const { store, one, openAgain } = await bench();
    for (let i = 0; i < 30; i++) append(store, one, [`x${i}`.repeat(20)]);
    store.cut(Float64Array.from([20, 0]));

    for (const opened of [store, openAgain()]) {
      const beginning = opened.withLatest(() => opened.beginnings()[0]!);
      expect(beginning).toBeGreaterThan(0);
      expect(() => readAt(opened, one, beginning - 1)).toThrow(expect.objectContaining({ code: 'LOG_REPLACED' }));
      expect(readAt(opened, one, beginning).records).toHaveLength(1);
      if (opened !== store) await opened.close();
    }
  });

  test('notes and ends outlive a cut', async () => {
    const { store, one } = await bench();
    store.transact((transaction) => transaction.putNote('name', { value: 1 }));
    for (let i = 0; i < 30; i++) append(store, one, [`x${i}`.repeat(20)]);

    store.cut(Float64Array.from([30, 0]));

    expect(store.withLatest(() => [store.note('name'), store.ends()[0]])).toEqual([{ value: 1 }, 30]);
  });
});

/** Appends records as one chunk. */
function append(store: SegmentStore, partition: LogPartition, values: readonly string[]): void {
  store.transact((transaction) => transaction.append(partition, chunkOf(values), values.length, 7));
}

function readAt(store: SegmentStore, partition: LogPartition, offset: number) {
  const records: LogRecord[] = [];
  const limits = { records: 100, bytes: 2 ** 20, atLeastOne: true, end: offset + 1 };
  const { next } = store.withLatest(() => store.read(partition, offset, limits, records));
  return { records, next };
}

function recordsOf(store: SegmentStore, partition: LogPartition): readonly LogRecord[] {
  return store.withLatest(() => {
    const records: LogRecord[] = [];
    const end = store.ends()[partition.index]!;
    const limits = { records: Infinity, bytes: Infinity, atLeastOne: true, end };
    for (let next = store.beginnings()[partition.index]!; next < end;) {
      ({ next } = store.read(partition, next, limits, records));
    }
    return records;
  });
}

function valuesOf(store: SegmentStore, partition: LogPartition): readonly string[] {
  return withoutBlank(recordsOf(store, partition)).map(({ offset, value }) => `${offset} ${text(value)}`);
}
