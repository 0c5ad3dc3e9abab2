import { describe, expect, test } from 'vitest';
import type { LogRecord } from '../../../../services/event-log/event-log.ts';
import type { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { extentsIn, flipped, spotsAt } from './damage-scene.ts';
import { ensure, Ledger, openOn } from './scene.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const LIMITS = { records: 5, bytes: 2 ** 20, atLeastOne: true, end: Infinity };

interface Whole {
  /** By `partition@offset`. */
  readonly values: ReadonlyMap<string, string>;
  /** Records that were passed, of those that were appended. */
  readonly lost: number;
}

/** Reads all that is whole in the first partition. */
function readAll(store: SegmentStore): Whole {
  const values = new Map<string, string>();
  const partition = store.layout.partitionAt(0);
  let [at, lost] = [0, 0];
  for (;;) {
    const records: LogRecord[] = [];
    const read = store.withLatest(() => store.readWhole(partition, at, LIMITS, records));
    for (const { offset, value } of records) values.set(`0@${offset}`, Buffer.from(value).toString());
    if (read === undefined) return { values, lost: lost + store.ends()[0]! - at };
    expect(read.segment).toMatch(/^\d{10}-[0-9a-f]{16}\.log$/);
    at = read.next;
    lost += read.lost;
  }
}

/** A log of several segments that was closed. */
function filled(): { disk: SimulatedDisk; ledger: Ledger; segments: readonly string[] } {
  const disk = new SimulatedDisk();
  const ledger = new Ledger();
  const store = openOn(disk);
  for (let i = 0; i < 8; i++) ledger.commit(store);
  void store.close();
  return { disk, ledger, segments: disk.names().filter((name) => name.endsWith('.log')) };
}

function ofFirstPartition(spots: Iterable<string>): string[] {
  return [...spots].filter((spot) => spot.startsWith('0@'));
}

describe('what is whole in a log of segments', () => {
  test('a log that is whole is read from its beginning to its end', () => {
    const { disk, ledger, segments } = filled();

    const { values, lost } = readAll(openOn(disk));

    expect([[...values.keys()], lost]).toEqual([ofFirstPartition(ledger.acknowledged.keys()), 0]);
    expect(segments.length).toBeGreaterThan(1);
  });

  test('one changed byte of a full segment loses the records of its chunk at most, and they are counted', () => {
    const { disk, ledger, segments } = filled();
    const [name = ''] = segments;
    const content = disk.contentOf(name);
    const chunks = extentsIn(disk, '/log', name).filter(({ spots }) => spots.length === 3);

    for (let at = 0; at < content.length; at++) {
      const damaged = disk.afterDeath();
      damaged.replace(name, flipped(content, at));
      const store = openOn(damaged);
      const { values, lost } = readAll(store);
      void store.close();
      const gone = ofFirstPartition(spotsAt(chunks, at));
      ensure(lost === gone.length, `${lost} and not ${gone.length} records are lost at ${at}`);
      for (const [spot, value] of ledger.acknowledged) {
        if (spot.startsWith('0@')) ensure((values.get(spot) === value) !== gone.includes(spot), `${spot} at ${at}`);
      }
    }
  });

  test('a segment without its beginning is read all the same', () => {
    const { disk, ledger, segments } = filled();
    const second = segments[1]!;
    const content = disk.contentOf(second);
    const [{ from } = { from: 0 }] = extentsIn(disk, '/log', second).toSorted((one, other) => one.from - other.from);
    content.fill(0, 0, from);
    disk.replace(second, content);

    const { values, lost } = readAll(openOn(disk));

    expect([[...values.keys()], lost]).toEqual([ofFirstPartition(ledger.acknowledged.keys()), 0]);
  });

  test('a segment that is missing is passed, and a cut removes those before and after it', () => {
    const { disk, ledger, segments } = filled();
    const gone = ofFirstPartition(extentsIn(disk, '/log', segments[1]!).flatMap(({ spots }) => spots));
    disk.remove(segments[1]!);
    const store = openOn(disk);
    const whole = new Set(ofFirstPartition(ledger.acknowledged.keys())).difference(new Set(gone));

    const { values, lost } = readAll(store);
    store.cut(store.ends());

    expect([new Set(values.keys()), lost]).toEqual([whole, new Set(gone).size]);
    expect(disk.names().filter((name) => name.endsWith('.log'))).toHaveLength(1);
    expect(store.bytes).toBeLessThan(1_000);
  });

  test('a segment that the disk does not give is passed', () => {
    const { disk, ledger, segments } = filled();
    const gone = new Set(ofFirstPartition(extentsIn(disk, '/log', segments[1]!).flatMap(({ spots }) => spots)));
    const [open, read] = [disk.open.bind(disk), disk.read.bind(disk)];
    const bad = new Set<number>();
    disk.open = (path, purpose) => {
      const descriptor = open(path, purpose);
      if (path.endsWith(segments[1]!)) bad.add(descriptor);
      return descriptor;
    };
    disk.read = (descriptor, memory, position) => {
      if (bad.has(descriptor)) throw Object.assign(new Error('EIO: as ordered'), { code: 'EIO' });
      return read(descriptor, memory, position);
    };

    const { values, lost } = readAll(openOn(disk));

    expect(new Set(values.keys())).toEqual(new Set(ofFirstPartition(ledger.acknowledged.keys())).difference(gone));
    expect([lost, gone.size > 0]).toEqual([gone.size, true]);
  });
});
