import { describe, expect, test } from 'vitest';
import type { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { segmentNumber } from '../../../../services/event-log/embedded/segments/segment-file.ts';
import { SharedLog } from '../../../../services/event-log/embedded/segments/shared-log.ts';
import { TidemarkError } from '../../../../services/runtime/errors.ts';
import { Dice } from '../../../torture/dice.ts';
import { flipped } from './damage-scene.ts';
import { type Content, contentOf, ensure, Ledger, openedUnlessDead, openOn, tryTo } from './scene.ts';
import { Death, type Fault, SimulatedDisk } from './simulated-disk.ts';

/** What is known of a log that is appended to and cut. */
class Life {
  readonly ledger: Ledger;
  /** For each partition the highest offset before which it was to be cut. */
  readonly asked: number[];
  /** Where it began after the last cut that returned. */
  readonly begun: number[];

  constructor(ledger = new Ledger(), asked: readonly number[] = [0, 0, 0, 0], begun: readonly number[] = [0, 0, 0, 0]) {
    this.ledger = ledger;
    this.asked = [...asked];
    this.begun = [...begun];
  }

  copy(): Life {
    return new Life(this.ledger.copy(), this.asked, this.begun);
  }

  /** Cuts one file after the other, and appends in between. */
  cut(store: SegmentStore, below: readonly number[]): void {
    for (const [partition, offset] of below.entries()) this.asked[partition] = Math.max(this.asked[partition]!, offset);
    for (let again = true; again;) {
      again = tryTo(() => store.cut(Float64Array.from(below), 1)) ?? false;
      if (again) {
        for (const [partition, first] of store.withLatest(() => store.beginnings()).entries())
          this.begun[partition] = first;
        this.ledger.commit(store);
      }
    }
  }

  /** The log holds all that was not to be cut, begins where a cut left it or behind, and gives no offset again. */
  verify(found: Content): void {
    this.ledger.verify(found);
    ensure(found.damaged.size === 0, `${found.damaged.size} records are damaged`);
    for (const [partition, first] of found.beginnings.entries()) {
      ensure(first <= this.asked[partition]!, `${partition} begins at ${first}, asked was ${this.asked[partition]}`);
      ensure(first >= this.begun[partition]!, `${partition} begins at ${first} again`);
      ensure(first <= found.ends[partition]!, `${partition} begins at ${first}, its end is ${found.ends[partition]}`);
    }
    for (const spot of this.ledger.acknowledged.keys()) {
      const [partition, offset] = spot.split('@').map(Number) as [number, number];
      ensure(found.ends[partition]! > offset, `${partition} ends at ${found.ends[partition]} again`);
    }
  }
}

/** Appends and cuts: a part, all that one partition has, and all. Returns what is known of the log, however it ended. */
function appendAndCut(disk: SimulatedDisk): Life {
  const life = new Life();
  const cuts = [(end: number) => end - 9, (end: number, partition: number) => (partition === 0 ? end : 0), Number];
  try {
    for (const below of cuts) {
      const store = openedUnlessDead(disk);
      if (store === undefined) continue;
      for (let i = 0; i < 5; i++) life.ledger.commit(store);
      const ends = tryTo(() => store.withLatest(() => [...store.ends()])) ?? [];
      life.cut(
        store,
        ends.map((end, partition) => Math.max(0, below(end, partition))),
      );
      void store.close();
    }
  } catch (error) {
    if (!(error instanceof Death)) throw error;
  }
  return life;
}

/** Opens the log, compares it, and appends. */
function checkAfter(disk: SimulatedDisk, before: Life): Content {
  const life = before.copy();
  const shared = new SharedLog();
  const store = openOn(disk, shared);
  const found = contentOf(store);
  life.verify(found);
  const left = disk.names().flatMap((name) => segmentNumber(name) ?? []);
  ensure(Math.min(...left) === shared.first, `segment ${Math.min(...left)} is there, the first is ${shared.first}`);
  life.ledger.commit(store);
  life.verify(contentOf(store));
  void store.close();
  return found;
}

const faultless = new SimulatedDisk();
const faultlessLife = appendAndCut(faultless);

/** Runs `check` for a fault at each operation in turn. */
function atEachOperation(kind: Fault['kind'], check: (disk: SimulatedDisk, life: Life, operation: number) => void) {
  for (let operation = 1; operation <= faultless.operations; operation++) {
    const disk = new SimulatedDisk();
    disk.faults = [{ operation, kind }];
    const life = appendAndCut(disk);
    disk.faults = [];
    check(disk, life, operation);
  }
}

describe('cutting a log of segments on a simulated disk', () => {
  test('without a fault, all but what was appended during the last cut is gone, in some hundred operations', () => {
    const { beginnings, values } = checkAfter(faultless.afterDeath(), faultlessLife);

    expect(faultless.operations).toBeGreaterThan(100);
    expect(Math.min(...beginnings)).toBeGreaterThan(40);
    expect(values.size).toBeLessThan(faultlessLife.ledger.acknowledged.size / 2);
  });

  test('a process that dies at any operation leaves the log from some cut on that was asked for', () => {
    atEachOperation('death', (disk, life) => checkAfter(disk.afterDeath(), life));
  });

  test('a power cut at any operation leaves the log from some cut on that was asked for', () => {
    atEachOperation('death', (disk, life, operation) => {
      for (let seed = 0; seed < 4; seed++) checkAfter(disk.afterPowerCut(new Dice(operation * 8 + seed)), life);
    });
  });

  test('a process that dies while it opens the log after a power cut leaves it so too', () => {
    atEachOperation('death', (disk, life, operation) => {
      for (let again = 1; again <= 5; again++) {
        const second = disk.afterPowerCut(new Dice(operation));
        second.faults = [{ operation: again, kind: 'death' }];
        openedUnlessDead(second);
        checkAfter(second.afterPowerCut(new Dice(again)), life);
      }
    });
  });

  test.each(['EIO', 'ENOSPC'] as const)('an operation that fails (%s) leaves the log so too', (kind) => {
    atEachOperation(kind, (disk, life, operation) => {
      checkAfter(disk.afterDeath(), life);
      checkAfter(disk.afterPowerCut(new Dice(operation)), life);
    });
  });

  test('a cut that failed can be repeated, and then deletes all that it was to', () => {
    for (let operation = 1; operation <= 12; operation++) {
      const disk = new SimulatedDisk();
      const shared = new SharedLog();
      const store = openOn(disk, shared);
      const ledger = new Ledger();
      for (let i = 0; i < 9; i++) ledger.commit(store);
      disk.faults = [{ operation: disk.operations + operation, kind: 'EIO' }];
      tryTo(() => store.cut(store.ends()));
      disk.faults = [];

      store.cut(store.ends());

      expect([...store.withLatest(() => store.beginnings())]).toEqual([27, 27, 27, 27]);
      // The one that a failed write gave up may be there, without a record.
      expect(disk.names().filter((name) => segmentNumber(name) !== undefined).length).toBeLessThanOrEqual(2);
      ledger.commit(store);
      checkAfter(disk.afterPowerCut(new Dice(operation)), new Life(ledger, [27, 27, 27, 27], [27, 27, 27, 27]));
    }
  });

  test('a log that takes no more appends, as the disk is full but for the reserve, can be cut', () => {
    const disk = new SimulatedDisk();
    const store = openOn(disk);
    const ledger = new Ledger();
    for (let i = 0; i < 8; i++) ledger.commit(store);
    disk.expectRoom = () => {
      throw new TidemarkError('LOG_UNAVAILABLE', 'as good as full');
    };
    ledger.commit(store);

    store.cut(store.ends());

    expect(ledger.acknowledged.size).toBe(8 * 12);
    expect([...store.withLatest(() => store.beginnings())]).toEqual([24, 24, 24, 24]);
  });

  test('a changed byte of the segment that says what was cut hides none of the records behind it', () => {
    const disk = new SimulatedDisk();
    const store = openOn(disk);
    const ledger = new Ledger();
    for (let i = 0; i < 8; i++) ledger.commit(store);
    store.cut(store.ends().map((end) => end - 6));
    void store.close();
    const name = disk
      .names()
      .toSorted()
      .findLast((one) => segmentNumber(one) !== undefined)!;
    const content = disk.contentOf(name);

    for (let at = 0; at < content.length; at++) {
      const damaged = disk.afterDeath();
      damaged.replace(name, flipped(content, at));
      const opened = openOn(damaged);
      const { beginnings, values } = contentOf(opened, 24);
      ensure(Math.min(...beginnings) > 0, `it begins at ${Math.min(...beginnings)} with byte ${at} changed`);
      const lost = [...ledger.acknowledged.keys()].filter((spot) => {
        const [partition, offset] = spot.split('@').map(Number) as [number, number];
        return offset >= beginnings[partition]! && !values.has(spot);
      });
      ensure(lost.length <= 12, `${lost.length} records are lost with byte ${at} changed`);
      void opened.close();
    }
  });
});
