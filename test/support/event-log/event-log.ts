import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type {
  Appended,
  EventLog,
  LogReader,
  LogRecord,
  PartitionRecords,
  PollOptions,
  TopicPartition,
} from '../../../services/event-log/event-log.ts';
import { partitionOf } from '../../../services/event-log/partition.ts';

export { record, records } from './event-log-records.ts';

/** Plenty: whatever is there comes, and a poll that waits for something waits for as long as it takes. */
export const PATIENT: PollOptions = { maxRecords: 10_000, maxBytes: 2 ** 26, maxWaitMs: 20_000 };

/** Does not wait. */
export const AT_ONCE: PollOptions = { ...PATIENT, maxWaitMs: 0 };

/** A key that goes to this partition. */
export function keyIn(partition: number, partitions: number): string {
  for (;;) {
    const key = randomUUID();
    if (partitionOf(Buffer.from(key), partitions) === partition) return key;
  }
}

export type PlacedRecord = TopicPartition & LogRecord;

export function placed(polled: readonly PartitionRecords[]): readonly PlacedRecord[] {
  return polled.flatMap(({ topic, partition, records }) => records.map((one) => ({ topic, partition, ...one })));
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

export function values(polled: readonly PlacedRecord[]): readonly string[] {
  return polled.map(({ value }) => text(value));
}

/** Polls until this many records have come. */
export async function readCount(
  reader: LogReader,
  count: number,
  options: PollOptions = PATIENT,
): Promise<readonly PlacedRecord[]> {
  const read: PlacedRecord[] = [];
  while (read.length < count) {
    const polled = placed(await reader.poll(options));
    expect(polled, `${read.length} of ${count} records came, then none in a long time`).not.toHaveLength(0);
    read.push(...polled);
  }
  return read;
}

/** Every record of a topic, each partition in order. */
export async function scanTopic(log: Pick<EventLog, 'ends' | 'scan'>, topic: string): Promise<readonly PlacedRecord[]> {
  const ranges = (await log.ends([topic])).map(({ offset: to, ...at }) => ({ ...at, from: 0n, to }));
  const pieces = [];
  for await (const piece of log.scan(ranges)) pieces.push(piece);
  return placed(pieces);
}

/** `topic/partition@offset`, to be compared as a set. */
export function placeOf({ topic, partition, offset }: Pick<Appended, 'topic' | 'partition' | 'offset'>): string {
  return `${topic}/${partition}@${offset}`;
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(holds, { timeout: 50_000, interval: 5 }).toBe(true);
}
