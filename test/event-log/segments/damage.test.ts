import { describe, expect, test } from 'vitest';
import { FRAME_KIND, framesIn } from '../../../services/event-log/segments/frame.ts';
import { HEAD_FILE } from '../../../services/event-log/segments/head.ts';
import { SegmentFile } from '../../../services/event-log/segments/segment-file.ts';
import { type Content, contentOf, ensure, Ledger, openOn, SMALL_SEGMENT_BYTES, valueAt } from './scene.ts';
import { SimulatedDisk } from './simulated-disk.ts';

/** Bytes of a segment, and the spots of the records that are stored in them. */
interface Extent {
  readonly from: number;
  readonly to: number;
  readonly spots: readonly string[];
}

interface Filled {
  readonly disk: SimulatedDisk;
  readonly ledger: Ledger;
  /** The names of the segments, the last one last. */
  readonly segments: readonly string[];
}

/** A log that was closed, of this number of commits. */
function filled(commits: number, segmentBytes = SMALL_SEGMENT_BYTES): Filled {
  const disk = new SimulatedDisk();
  const ledger = new Ledger();
  const store = openOn(disk, undefined, segmentBytes);
  for (let i = 0; i < commits; i++) ledger.commit(store);
  void store.close();
  return {
    disk,
    ledger,
    segments: disk
      .names()
      .filter((name) => name.endsWith('.log'))
      .toSorted(),
  };
}

/** What a damaged byte costs: the records of its chunk, or those of its frame where it lies before the chunks. */
function extentsOf(disk: SimulatedDisk, name: string): readonly Extent[] {
  const file = new SegmentFile(disk, '/log', name);
  return [...framesIn(file, 0, file.size())].flatMap(({ kind, position, end, chunks }) => {
    if (kind !== FRAME_KIND.commit) return [];
    const ofChunks = chunks.map(({ partition, first, count, position: from, length }) => {
      return { from, to: from + length, spots: Array.from({ length: count }, (_, i) => `${partition}@${first + i}`) };
    });
    const spots = ofChunks.flatMap((chunk) => chunk.spots);
    return [...ofChunks, { from: position, to: ofChunks[0]?.from ?? end, spots }];
  });
}

function spotsAt(extents: readonly Extent[], position: number): readonly string[] {
  return extents.find(({ from, to }) => position >= from && position < to)?.spots ?? [];
}

/** Opens the log. What can be read is right, and only what may be lost is, said to be damaged. Then appends. */
function checkLoss(disk: SimulatedDisk, ledger: Ledger, mayBeLost: readonly string[]): Content {
  const store = openOn(disk);
  const found = contentOf(store, ledger.acknowledged.size / 4);
  for (const [spot, value] of found.values) ensure(value === ledger.acknowledged.get(spot), `${spot} has ${value}`);
  for (const spot of ledger.acknowledged.keys()) {
    const isNamed = mayBeLost.includes(spot) && found.damaged.has(spot);
    ensure(found.values.has(spot) || isNamed, `${spot} is lost`);
  }
  const after = new Ledger();
  after.commit(store);
  for (const [spot, value] of after.acknowledged) {
    ensure(!ledger.acknowledged.has(spot), `${spot} was given again`);
    ensure(valueAt(store, spot) === value, `${spot} is lost`);
  }
  void store.close();
  return found;
}

function flipped(content: Buffer, at: number): Buffer {
  const copy = Buffer.from(content);
  copy[at]! ^= 1 << (at % 8);
  return copy;
}

describe('a log of segments with a changed byte', () => {
  test('a changed byte of the last segment costs the records of its chunk at most, or of its frame, and is named', () => {
    const { disk, ledger, segments } = filled(3, 2 ** 20);
    const [name] = segments as [string];
    const content = disk.contentOf(name);
    const extents = extentsOf(disk, name);
    let lost = 0;

    for (let at = 0; at < content.length; at++) {
      const damaged = disk.afterDeath();
      damaged.replace(name, flipped(content, at));
      lost += checkLoss(damaged, ledger, spotsAt(extents, at)).damaged.size === 0 ? 0 : 1;
    }

    expect(segments).toHaveLength(1);
    expect(lost).toBeGreaterThan(content.length / 3);
  });

  test('a changed byte of a full segment costs the records of its chunk, and nothing where it lies outside of chunks', () => {
    const { disk, ledger, segments } = filled(8);
    const name = segments[0]!;
    const content = disk.contentOf(name);
    const chunks = extentsOf(disk, name).filter(({ spots }) => spots.length === 3);

    for (let at = 0; at < content.length; at++) {
      const damaged = disk.afterDeath();
      damaged.replace(name, flipped(content, at));
      const { damaged: lost } = checkLoss(damaged, ledger, spotsAt(chunks, at));
      expect(lost.size).toBe(spotsAt(chunks, at).length);
    }

    expect(segments.length).toBeGreaterThan(1);
  });

  test('a changed byte of the head costs nothing', () => {
    const { disk, ledger } = filled(8);
    const content = disk.contentOf(HEAD_FILE);

    for (let at = 0; at < content.length; at++) {
      const damaged = disk.afterDeath();
      damaged.replace(HEAD_FILE, flipped(content, at));
      checkLoss(damaged, ledger, []);
    }
  });
});

describe('a log of segments that lacks its end', () => {
  test('a log that was cut below what its head says names what it lost, and gives no offset again', () => {
    const { disk, ledger, segments } = filled(3, 2 ** 20);
    const [name] = segments as [string];
    const content = disk.contentOf(name);
    const extents = extentsOf(disk, name);
    const begins = Math.min(...extents.map(({ from }) => from));

    for (let length = begins; length < content.length; length++) {
      const cut = disk.afterDeath();
      cut.replace(name, content.subarray(0, length));
      const lost = extents.filter(({ to }) => to > length).flatMap(({ spots }) => spots);
      expect(checkLoss(cut, ledger, lost).values.size).toBe(ledger.acknowledged.size - new Set(lost).size);
    }
  });

  test('a log that was cut beyond what its head says has the commits that are whole, and goes on behind them', () => {
    const { disk, ledger, segments } = filled(3, 2 ** 20);
    const [name] = segments as [string];
    const content = disk.contentOf(name);
    const frames = extentsOf(disk, name).filter(({ spots }) => spots.length > 3);

    for (let length = 0; length < content.length; length++) {
      const cut = disk.afterDeath();
      cut.remove(HEAD_FILE);
      cut.replace(name, content.subarray(0, length));
      const whole = frames.filter((_, i) => length >= (frames[i + 1]?.from ?? content.length));
      const store = openOn(cut);
      const { values, damaged } = contentOf(store);
      expect([damaged.size, values.size]).toEqual([0, whole.length * 12]);
      for (const [spot, value] of values) ensure(value === ledger.acknowledged.get(spot), `${spot} has ${value}`);
      void store.close();
    }
  });

  test('a torn end in full segments is cut off, and the log goes on in the same segment', () => {
    const { disk, ledger, segments } = filled(8);
    const name = segments.at(-1)!;
    const torn = disk.afterDeath();
    torn.replace(name, Buffer.concat([disk.contentOf(name), Buffer.from('TMF1 and what was not written')]));

    checkLoss(torn, ledger, []);

    expect(torn.names().filter((one) => one.endsWith('.log'))).toHaveLength(segments.length);
  });

  test('a log that has lost its last segment is refused, and one in the middle costs the records of that one', () => {
    const { disk, ledger, segments } = filled(12);
    const lost = extentsOf(disk, segments[1]!).flatMap(({ spots }) => spots);
    const [withoutLast, withoutSecond] = [disk.afterDeath(), disk.afterDeath()];
    withoutLast.remove(segments.at(-1)!);
    withoutSecond.remove(segments[1]!);

    expect(() => openOn(withoutLast)).toThrow('has lost its segment');
    const { damaged } = checkLoss(withoutSecond, ledger, lost);
    expect(damaged).toEqual(new Set(lost));
  });
});
