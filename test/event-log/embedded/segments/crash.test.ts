import { describe, expect, test } from 'vitest';
import { SharedLog } from '../../../../services/event-log/embedded/segments/shared-log.ts';
import { Dice } from '../../../torture/dice.ts';
import { type Content, contentOf, ensure, Ledger, openedUnlessDead, openOn, tryTo } from './scene.ts';
import { Death, type Fault, SimulatedDisk } from './simulated-disk.ts';

/** Commits, erases, cuts and opens again, over several segments. Returns what is known of the log, however it ended. */
function live(disk: SimulatedDisk): Ledger {
  const ledger = new Ledger();
  try {
    for (let round = 0; round < 3; round++) {
      const store = openedUnlessDead(disk);
      if (store === undefined) continue;
      for (let i = 0; i < 6; i++) ledger.commit(store);
      ledger.erase(store, 4 + round * 20);
      if (round === 1) tryTo(() => store.cut(store.withLatest(() => store.ends())));
      void store.close();
    }
  } catch (error) {
    if (!(error instanceof Death)) throw error;
  }
  return ledger;
}

/** Opens the log, compares it, and appends. */
function checkAfter(disk: SimulatedDisk, before: Ledger): Content {
  const ledger = before.copy();
  const store = openOn(disk, new SharedLog());
  const found = contentOf(store);
  ensure(found.damaged.size === 0, `${found.damaged.size} records are damaged`);
  ensure(!disk.names().some((name) => name.startsWith('redo')), 'an erasure is not finished');
  ledger.verify(found);
  ledger.commit(store);
  ledger.verify(contentOf(store));
  void store.close();
  return found;
}

const whole = new SimulatedDisk();
const ledgerOfWhole = live(whole);
const OPERATIONS = whole.operations;

/** Runs `check` for a fault at each operation in turn. */
function atEachOperation(kind: Fault['kind'], check: (disk: SimulatedDisk, ledger: Ledger, operation: number) => void) {
  for (let operation = 1; operation <= OPERATIONS; operation++) {
    const disk = new SimulatedDisk();
    disk.faults = [{ operation, kind }];
    const ledger = live(disk);
    disk.faults = [];
    check(disk, ledger, operation);
  }
}

describe('a log of segments on a simulated disk', () => {
  test('the log has several segments, erased records and a beginning that was cut, in some hundred operations', () => {
    const { beginnings, values } = checkAfter(whole.afterDeath(), ledgerOfWhole);

    expect(OPERATIONS).toBeGreaterThan(100);
    expect(beginnings.every((offset) => offset > 0)).toBe(true);
    expect(ledgerOfWhole.erased.size).toBe(12);
    expect(values.size).toBeGreaterThan(50);
  });

  test('a process that dies at any operation has lost nothing that was acknowledged, nor left half of a commit', () => {
    atEachOperation('death', (disk, ledger) => checkAfter(disk.afterDeath(), ledger));
  });

  test('a power cut at any operation takes nothing that was acknowledged', () => {
    atEachOperation('death', (disk, ledger, operation) => {
      for (let seed = 0; seed < 5; seed++) checkAfter(disk.afterPowerCut(new Dice(operation * 8 + seed)), ledger);
    });
  });

  test('a process that dies while it recovers from a death has lost nothing either', () => {
    atEachOperation('death', (disk, ledger, operation) => {
      for (let again = 1; again <= 8; again++) {
        const second = disk.afterPowerCut(new Dice(operation));
        second.faults = [{ operation: again, kind: 'death' }];
        openedUnlessDead(second);
        checkAfter(second.afterPowerCut(new Dice(again)), ledger);
      }
    });
  });

  test('a process does not believe a flush that failed in the one before: what it goes on behind is on the disk', () => {
    for (let operation = 1; operation < OPERATIONS; operation++) {
      const disk = new SimulatedDisk();
      disk.faults = [
        { operation, kind: 'EIO' },
        { operation: operation + 1, kind: 'death' },
      ];
      const ledger = live(disk);
      const next = disk.afterDeath();
      const store = openOn(next);
      ledger.commit(store);
      checkAfter(next.afterPowerCut(new Dice(operation)), ledger);
    }
  });

  test.each(['EIO', 'ENOSPC'] as const)(
    'an operation that fails (%s) refuses a commit at most, and the log goes on without losing anything',
    (kind) => {
      atEachOperation(kind, (disk, ledger, operation) => {
        checkAfter(disk.afterDeath(), ledger);
        checkAfter(disk.afterPowerCut(new Dice(operation)), ledger);
      });
    },
  );

  test.each(['EIO', 'ENOSPC'] as const)(
    'after a write or flush that fails (%s) nothing more goes into its file',
    (kind) => {
      for (const operation of [1, 2]) {
        const disk = new SimulatedDisk();
        const ledger = new Ledger();
        const store = openOn(disk);
        ledger.commit(store);
        const [name] = disk.names().filter((one) => one.endsWith('.log')) as [string];
        const before = disk.contentOf(name);
        disk.faults = [{ operation: disk.operations + operation, kind }];
        ledger.commit(store);
        ledger.commit(store);

        expect(ledger.acknowledged.size).toBe(24);
        expect(disk.contentOf(name).equals(before)).toBe(true);
      }
    },
  );

  test('a commit that was refused is not in the log of the process that was told so', () => {
    for (let operation = 1; operation <= OPERATIONS; operation++) {
      const disk = new SimulatedDisk();
      const store = openOn(disk);
      const ledger = new Ledger();
      disk.faults = [{ operation: disk.operations + operation, kind: 'EIO' }];
      for (let i = 0; i < 6; i++) ledger.commit(store);

      expect(contentOf(store).values).toEqual(ledger.acknowledged);
    }
  });
});
