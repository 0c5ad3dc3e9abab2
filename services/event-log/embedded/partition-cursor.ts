import type { LogRecord } from '../event-log.ts';
import type { Limits } from './chunk.ts';
import type { LogPartition } from './layout.ts';
import type { LmdbStore } from '../lmdb/store.ts';

/** How far a partition has been read. */
export interface PartitionCursor {
  readonly partition: LogPartition;
  next: number;
}

/** Reads the records from a cursor on, up to `end` and the limits, and advances it. Returns them with their bytes. */
export function readNext(
  store: Pick<LmdbStore, 'read'>,
  cursor: PartitionCursor,
  end: number,
  limits: Limits,
): readonly [LogRecord[], number] {
  const read: LogRecord[] = [];
  let bytes = 0;
  while (cursor.next < end && read.length < limits.records) {
    const before = read.length;
    // A chunk may hold records past the end.
    const records = Math.min(limits.records, before + end - cursor.next);
    bytes += store.read(cursor.partition, cursor.next, { ...limits, records, bytes: limits.bytes - bytes }, read);
    if (read.length === before) break;
    cursor.next += read.length - before;
  }
  return [read, bytes];
}
