import { hash } from 'node:crypto';
import type { LogRecord, Position, TopicPartition } from './event-log.ts';

/** Distinguishes a record from any other that could have its offset: the first 128 bits of a SHA-256, in hex. */
export function identityOf(record: Pick<LogRecord, 'key' | 'value'>): string {
  const keyLength = Buffer.alloc(4);
  keyLength.writeUInt32BE(record.key.byteLength);
  return hash('sha256', Buffer.concat([keyLength, record.key, record.value]), 'hex').slice(0, 32);
}

/** The position of a reader whose last record is `record`. */
export function positionAfter({ topic, partition }: TopicPartition, record: LogRecord): Position {
  return { topic, partition, offset: record.offset + 1n, identity: identityOf(record) };
}

/** The position of a reader that has read nothing. */
export function beginningOf({ topic, partition }: TopicPartition): Position {
  return { topic, partition, offset: 0n, identity: '' };
}
