import { setImmediate as otherWork } from 'node:timers/promises';
import { withoutBlank } from '../blank.ts';
import type { LogRecord, PartitionRecords, ScanOptions, ScanRange } from '../event-log.ts';
import type { LogPartition } from './segments/layout.ts';
import type { SegmentStore } from './segments/segment-store.ts';
import { checkRanges, scanLimits, unknownPartition } from '../refusals.ts';

interface ScanCursor extends LogPartition {
  next: number;
  readonly end: number;
}

/** Runs a read on the latest committed state. Throws where the log is closed. */
export type RunRead = <T>(read: () => T) => T;

/** Reads ranges, a piece of each in turn. Each piece has its own read transaction, so none stays open in between. */
export async function* scan(
  store: SegmentStore,
  runRead: RunRead,
  ranges: readonly ScanRange[],
  options: ScanOptions,
): AsyncGenerator<PartitionRecords> {
  checkRanges(ranges);
  const { maxRecords, maxBytes } = scanLimits(options);
  const limits = { records: Math.max(1, maxRecords), bytes: maxBytes, atLeastOne: true };
  let cursors = cursorsOf(store, runRead, ranges);
  while (cursors.length > 0) {
    for (const cursor of cursors) {
      options.signal?.throwIfAborted();
      const read: LogRecord[] = [];
      const { topic, partition, next, end } = cursor;
      cursor.next = runRead(() => store.read(cursor, next, { ...limits, end }, read)).next;
      const records = options.withBlank === true ? read : withoutBlank(read);
      if (records.length > 0) yield { topic, partition, records };
      await otherWork();
    }
    cursors = cursors.filter(({ next, end }) => next < end);
  }
}

function cursorsOf(store: SegmentStore, runRead: RunRead, ranges: readonly ScanRange[]): readonly ScanCursor[] {
  const [ends, beginnings] = runRead(() => [store.ends(), store.beginnings()]);
  const cursors = ranges.map(({ from, to, ...at }) => {
    const partition = store.layout.find(at);
    if (partition === undefined) throw unknownPartition(at);
    const next = Math.max(Number(from), beginnings[partition.index] as number);
    return { ...partition, next, end: Math.min(Number(to), ends[partition.index] as number) };
  });
  return cursors.filter(({ next, end }) => next < end);
}
