import type { FileOperations } from '../../../../services/event-log/embedded/segments/files.ts';
import { FRAME_KIND, framesIn } from '../../../../services/event-log/embedded/segments/frame.ts';
import { SegmentFile } from '../../../../services/event-log/embedded/segments/segment-file.ts';
import type { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { type Content, contentOf, ensure, Ledger, valueAt } from './scene.ts';

/** Bytes of a segment, and the spots of the records that are stored in them. */
export interface Extent {
  readonly from: number;
  readonly to: number;
  readonly spots: readonly string[];
}

/** What a damaged byte costs: the records of its chunk, or those of its frame where it lies before the chunks. */
export function extentsIn(files: FileOperations, folder: string, name: string): readonly Extent[] {
  const file = new SegmentFile(files, folder, name);
  const frames = [...framesIn(file, 0, file.size())];
  file.close();
  return frames.flatMap(({ kind, position, end, chunks }) => {
    if (kind !== FRAME_KIND.commit) return [];
    const ofChunks = chunks.map(({ partition, first, count, position: from, length }) => {
      return { from, to: from + length, spots: Array.from({ length: count }, (_, i) => `${partition}@${first + i}`) };
    });
    const spots = ofChunks.flatMap((chunk) => chunk.spots);
    return [...ofChunks, { from: position, to: ofChunks[0]?.from ?? end, spots }];
  });
}

export function spotsAt(extents: readonly Extent[], position: number): readonly string[] {
  return extents.find(({ from, to }) => position >= from && position < to)?.spots ?? [];
}

/** Opens the log. What can be read is right, and only what may be lost is, said to be damaged. Then appends. */
export function checkOnlyLost(open: () => SegmentStore, ledger: Ledger, mayBeLost: readonly string[]): Content {
  const store = open();
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

/** One changed bit. */
export function flipped(content: Buffer, at: number): Buffer {
  const copy = Buffer.from(content);
  copy[at]! ^= 1 << (at % 8);
  return copy;
}
