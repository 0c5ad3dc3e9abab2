import { setImmediate as otherWork } from 'node:timers/promises';
import type { PartitionRecords, ScanOptions, ScanRange } from '../event-log.ts';
import type { LmdbStore } from './store.ts';
import { type Place, take } from './take.ts';
import { checkRanges, scanLimits, unknownPartition } from '../refusals.ts';

interface ScanPlace extends Place {
  readonly end: number;
}

/** Looks at what the log holds, and throws where it is closed. */
export type Look = <T>(look: () => T) => T;

/** Reads ranges, a piece of each in turn, each piece in a look of its own: nothing is held between them. */
export async function* scan(
  store: LmdbStore,
  look: Look,
  ranges: readonly ScanRange[],
  options: ScanOptions,
): AsyncGenerator<PartitionRecords> {
  checkRanges(ranges);
  const { maxRecords, maxBytes } = scanLimits(options);
  const limits = { records: Math.max(1, maxRecords), bytes: maxBytes, atLeastOne: true };
  let places = placesOf(store, look, ranges);
  while (places.length > 0) {
    for (const place of places) {
      options.signal?.throwIfAborted();
      const [records] = look(() => take(store, place, place.end, limits));
      yield { topic: place.slot.topic, partition: place.slot.partition, records };
      await otherWork();
    }
    places = places.filter(({ next, end }) => next < end);
  }
}

function placesOf(store: LmdbStore, look: Look, ranges: readonly ScanRange[]): readonly ScanPlace[] {
  const ends = look(() => store.ends());
  const places = ranges.map(({ from, to, ...at }) => {
    const slot = store.layout.find(at);
    if (slot === undefined) throw unknownPartition(at);
    return { slot, next: Number(from), end: Math.min(Number(to), ends[slot.index] as number) };
  });
  return places.filter(({ next, end }) => next < end);
}
