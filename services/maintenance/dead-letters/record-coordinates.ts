import type { TopicPartition } from '../../event-log/event-log.ts';

/** Where a record stands on the log. */
export interface RecordCoordinates extends TopicPartition {
  readonly offset: bigint;
}

/** `topic/partition/offset`: names a message that was put aside, for people and for maps. */
export function formatCoordinates({ topic, partition, offset }: RecordCoordinates): string {
  return `${topic}/${partition}/${offset}`;
}

const NAME = /^([\w.-]{1,249})\/(\d{1,9})\/(\d{1,18})$/;

/** Undefined where the text names no place. */
export function parseCoordinates(name: string): RecordCoordinates | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, topic = '', partition, offset = ''] = match;
  return { topic, partition: Number(partition), offset: BigInt(offset) };
}
