/** What every adapter refuses, with the same messages. */
import { TidemarkError } from '../runtime/errors.ts';
import type { LogCoordinates, Position, ScanOptions, ScanRange, TopicPartition } from './event-log.ts';
import { nameOf } from './partition.ts';

// It holds for every log, as a group may move to another one.
const MAX_GROUP_LENGTH = 256;

/** @throws TidemarkError `CONFIG_INVALID` where it is not a valid name of a group. */
export function checkGroup(group: string): void {
  if (group.length >= 1 && group.length <= MAX_GROUP_LENGTH) return;
  throw new TidemarkError('CONFIG_INVALID', `a group's name has 1 to ${MAX_GROUP_LENGTH} characters`);
}

/** Default limits of one piece of a scan. */
const SCAN_LIMITS = { maxRecords: 5_000, maxBytes: 4 * 2 ** 20 };

export function scanLimits({ maxRecords, maxBytes }: ScanOptions): typeof SCAN_LIMITS {
  return { maxRecords: maxRecords ?? SCAN_LIMITS.maxRecords, maxBytes: maxBytes ?? SCAN_LIMITS.maxBytes };
}

/** @throws RangeError where a range is invalid, or a partition has two. */
export function checkRanges(ranges: readonly ScanRange[]): void {
  checkPlaces(ranges.map(({ topic, partition, from }) => ({ topic, partition, offset: from })));
}

/** @throws RangeError where an offset is negative, or a partition has two. */
export function checkPlaces(places: readonly LogCoordinates[]): void {
  const seen = new Set<string>();
  for (const { offset, ...at } of places) {
    const name = nameOf(at);
    if (offset < 0n) throw new RangeError(`${name} has no offset ${offset}`);
    if (seen.has(name)) throw new RangeError(`${name} is there twice`);
    seen.add(name);
  }
}

export function unknownPartition({ topic, partition }: TopicPartition): TidemarkError {
  return new TidemarkError('CONFIG_INVALID', `the event log has no partition ${topic}/${partition}`);
}

export function logClosed(): TidemarkError {
  return new TidemarkError('STOPPING', 'the event log is closed');
}

export function replaced({ topic, partition, offset }: Omit<Position, 'identity'>, why: string): TidemarkError {
  const message = `the position ${offset} of ${topic}/${partition} does not belong to this log: ${why}`;
  return new TidemarkError('LOG_REPLACED', message);
}
