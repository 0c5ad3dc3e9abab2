import type { LogRecord } from '../event-log.ts';
import type { Limits } from './segments/chunk.ts';
import type { LogPartition } from './segments/layout.ts';
import type { LogStore } from './store.ts';

/** How far a partition has been read. */
export interface PartitionCursor {
  readonly partition: LogPartition;
  next: number;
}

/** Reads the records from a cursor on, up to `end` and the limits, and advances it. Returns them with their bytes. */
export function readNext(
  store: Pick<LogStore, 'read'>,
  cursor: PartitionCursor,
  end: number,
  limits: Omit<Limits, 'end'>,
): readonly [LogRecord[], number] {
  const read: LogRecord[] = [];
  let bytes = 0;
  while (cursor.next < end && read.length < limits.records) {
    const left = { ...limits, bytes: limits.bytes - bytes, end };
    const { next, bytes: added } = store.read(cursor.partition, cursor.next, left, read);
    bytes += added;
    if (next === cursor.next) break;
    cursor.next = next;
  }
  return [read, bytes];
}
