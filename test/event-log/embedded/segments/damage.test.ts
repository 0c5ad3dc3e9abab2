import { describe, expect, test } from 'vitest';
import { HEAD_FILE } from '../../../../services/event-log/embedded/segments/head.ts';
import { checkOnlyLost, extentsIn, flipped, spotsAt } from './damage-scene.ts';
import { type Content, contentOf, ensure, Ledger, openOn, SMALL_SEGMENT_BYTES } from './scene.ts';
import { SimulatedDisk } from './simulated-disk.ts';

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

/** Opens the log, and checks what it has lost. */
function checkLoss(disk: SimulatedDisk, ledger: Ledger, mayBeLost: readonly string[]): Content {
  return checkOnlyLost(() => openOn(disk), ledger, mayBeLost);
}

describe('a log of segments with a changed byte', () => {
  test('a changed byte of the last segment costs the records of its chunk at most, or of its frame, and is named', () => {
    const { disk, ledger, segments } = filled(3, 2 ** 20);
    const [name] = segments as [string];
    const content = disk.contentOf(name);
    const extents = extentsIn(disk, '/log', name);
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
    const chunks = extentsIn(disk, '/log', name).filter(({ spots }) => spots.length === 3);

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
    const extents = extentsIn(disk, '/log', name);
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
    const frames = extentsIn(disk, '/log', name).filter(({ spots }) => spots.length > 3);

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
    const lost = extentsIn(disk, '/log', segments[1]!).flatMap(({ spots }) => spots);
    const [withoutLast, withoutSecond] = [disk.afterDeath(), disk.afterDeath()];
    withoutLast.remove(segments.at(-1)!);
    withoutSecond.remove(segments[1]!);

    expect(() => openOn(withoutLast)).toThrow('has lost its segment');
    const { damaged } = checkLoss(withoutSecond, ledger, lost);
    expect(damaged).toEqual(new Set(lost));
  });
});
