/** What every event log refuses, in the same words. */
import { TidemarkError } from '../runtime/errors.ts';
import type { Position } from './event-log.ts';

// The embedded log's limit: a key of LMDB is at most 1,978 bytes there. A group may move from one log to another.
const MAX_GROUP_LENGTH = 256;

/** @throws TidemarkError `CONFIG_INVALID` where no group can be called so. */
export function checkGroup(group: string): void {
  if (group.length >= 1 && group.length <= MAX_GROUP_LENGTH) return;
  throw new TidemarkError('CONFIG_INVALID', `a group's name has 1 to ${MAX_GROUP_LENGTH} characters`);
}

export function stopping(): TidemarkError {
  return new TidemarkError('STOPPING', 'the event log is closed');
}

export function replaced({ topic, partition, offset }: Omit<Position, 'identity'>, why: string): TidemarkError {
  const message = `the position ${offset} of ${topic}/${partition} is not of this log: ${why}`;
  return new TidemarkError('LOG_REPLACED', message);
}
