/** What every adapter refuses, with the same messages. */
import { TidemarkError } from '../runtime/errors.ts';
import type { Position, ScanOptions, ScanRange, TopicPartition } from './event-log.ts';

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
  const seen = new Set<string>();
  for (const { topic, partition, from } of ranges) {
    const name = `${topic}/${partition}`;
    if (from < 0n) throw new RangeError(`a scan of ${name} cannot begin at ${from}`);
    if (seen.has(name)) throw new RangeError(`one scan cannot have two ranges of ${name}`);
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
