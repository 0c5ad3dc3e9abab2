import type { TopicPartition } from '../../event-log/event-log.ts';

/** The coordinates of a record in the log. */
export interface RecordCoordinates extends TopicPartition {
  readonly offset: bigint;
}

/** `topic/partition/offset`: identifies the message of a dead letter, for people and as a key. */
export function formatCoordinates({ topic, partition, offset }: RecordCoordinates): string {
  return `${topic}/${partition}/${offset}`;
}

const NAME = /^([\w.-]{1,249})\/(\d{1,9})\/(\d{1,18})$/;

/** Undefined if the text is not of that form. */
export function parseCoordinates(name: string): RecordCoordinates | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, topic = '', partition, offset = ''] = match;
  return { topic, partition: Number(partition), offset: BigInt(offset) };
}
