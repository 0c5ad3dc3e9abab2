import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_FILES } from '../../services/event-log/embedded/segments/files.ts';
import { SegmentStore } from '../../services/event-log/embedded/segments/segment-store.ts';
import { SharedLog } from '../../services/event-log/embedded/segments/shared-log.ts';
import { hasCode } from '../../services/runtime/errors.ts';
import { checkOnlyLost, extentsIn, flipped, spotsAt } from '../event-log/embedded/segments/damage-scene.ts';
import { contentOf, ensure, Ledger, PARTITIONS, TOPICS } from '../event-log/embedded/segments/scene.ts';
import type { Dice } from '../torture/dice.ts';

const SEGMENT_BYTES = 8_000;
const COMMITS = 40;
/** Commits of a log that is open when the bit changes, since it was opened. */
const COMMITS_SINCE_OPEN = 8;

export interface FlipTotals {
  readonly flips: number;
  /** Records that were acknowledged before the bit changed, over all flips. */
  acknowledged: number;
  /** Records that could not be read, and were said to be damaged: of the chunk or the frame with the bit. */
  named: number;
  /** Times that a log that was open would not be opened a second time, as damaged. */
  unopened: number;
  /** Records lost without being named, or beyond the damaged frame, and whatever was read and is not right. */
  readonly wrong: string[];
}

/** Changes one bit of the log in a folder, each time of a new log, which is closed or open in turn. */
export function flipBits(folder: string, { flips, dice }: { readonly flips: number; readonly dice: Dice }): FlipTotals {
  const template = join(folder, 'template');
  const ledger = new Ledger();
  const filled = openIn(template);
  for (let i = 0; i < COMMITS; i++) ledger.commit(filled);
  void filled.close();
  const totals: FlipTotals = { flips, acknowledged: 0, named: 0, unopened: 0, wrong: [] };
  for (let flip = 0; flip < flips; flip++) {
    const copy = join(folder, `flip-${flip}`);
    cpSync(template, copy, { recursive: true });
    try {
      if (flip % 2 === 0) flipClosed(copy, ledger, dice, totals);
      else flipOpen(copy, ledger.copy(), dice, totals);
      rmSync(copy, { recursive: true });
    } catch (error) {
      totals.wrong.push(`flip ${flip}: ${String(error)}`);
    }
  }
  return totals;
}

function openIn(folder: string, shared = new SharedLog()): SegmentStore {
  return SegmentStore.open({ folder, topics: TOPICS, partitions: PARTITIONS, shared, segmentBytes: SEGMENT_BYTES });
}

function flipClosed(folder: string, ledger: Ledger, dice: Dice, totals: FlipTotals): void {
  const mayBeLost = flipOneBit(folder, dice);
  const { damaged } = checkOnlyLost(() => openIn(folder), ledger, mayBeLost);
  totals.acknowledged += ledger.acknowledged.size;
  totals.named += damaged.size;
}

/** It is read on and written on, and read again by the next process. */
function flipOpen(folder: string, ledger: Ledger, dice: Dice, totals: FlipTotals): void {
  const shared = new SharedLog();
  const store = openIn(folder, shared);
  try {
    for (let i = 0; i < COMMITS_SINCE_OPEN; i++) ledger.commit(store);
    const mayBeLost = flipOneBit(folder, dice);
    totals.acknowledged += ledger.acknowledged.size;
    const { values, damaged } = contentOf(store);
    for (const [spot, value] of ledger.acknowledged) {
      const isNamed = damaged.has(spot) && mayBeLost.includes(spot);
      ensure(values.get(spot) === value || isNamed, `${spot} of an open log has ${values.get(spot)}`);
    }
    totals.unopened += isOpenedAgain(folder, shared) ? 0 : 1;
    for (let i = 0; i < COMMITS_SINCE_OPEN; i++) ledger.commit(store);
    void store.close();
    totals.named += checkOnlyLost(() => openIn(folder), ledger, mayBeLost).damaged.size;
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** As by another thread, which has read nothing of it yet. */
function isOpenedAgain(folder: string, shared: SharedLog): boolean {
  try {
    void openIn(folder, shared).close();
    return true;
  } catch (error) {
    if (!hasCode(error, 'LOG_DAMAGED')) throw error;
    return false;
  }
}

/** Returns the spots of the records that may be lost by it: of the chunk, or of the frame where it is not in a chunk. */
function flipOneBit(folder: string, dice: Dice): readonly string[] {
  const files = readdirSync(folder).toSorted();
  const sizes = files.map((name) => statSync(join(folder, name)).size);
  let at = dice.between(0, sizes.reduce((sum, size) => sum + size, 0) - 1);
  const index = sizes.findIndex((size) => {
    if (at < size) return true;
    at -= size;
    return false;
  });
  const name = files[index]!;
  const extents = name.endsWith('.log') ? extentsIn(NODE_FILES, folder, name) : [];
  const path = join(folder, name);
  writeFileSync(path, flipped(readFileSync(path), at));
  return spotsAt(extents, at);
}
