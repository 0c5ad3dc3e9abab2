import type { LogRecord } from '../event-log.ts';
import type { Limits } from './chunk.ts';
import type { Slot } from './layout.ts';
import type { LmdbStore } from './store.ts';

/** One slot's place in the reading: its next offset. */
export interface Place {
  readonly slot: Slot;
  next: number;
}

/** Takes the records from a place on, up to `end` and the limits, and moves it past them; with the bytes taken. */
export function take(
  store: Pick<LmdbStore, 'read'>,
  place: Place,
  end: number,
  limits: Limits,
): readonly [LogRecord[], number] {
  const taken: LogRecord[] = [];
  let bytes = 0;
  while (place.next < end && taken.length < limits.records) {
    const before = taken.length;
    // A chunk may hold records past the end.
    const records = Math.min(limits.records, before + end - place.next);
    bytes += store.read(place.slot, place.next, { ...limits, records, bytes: limits.bytes - bytes }, taken);
    if (taken.length === before) break;
    place.next += taken.length - before;
  }
  return [taken, bytes];
}
