/** Reads a topic whole with kafkajs alone: none of our code stands between the broker and what it returns. */
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { vi } from 'vitest';
import type { Written } from '../compare-log.ts';
import { numberedOf } from '../remembering-appends.ts';

export function rawKafka(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries: 20, maxRetryTime: 1_000 } });
}

export interface RawRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Every record of a topic up to where it ends now, as the numbers in them say. */
export async function readWhole(brokers: readonly string[], topic: string): Promise<readonly Written[]> {
  const records = await readRecords(brokers, topic);
  return records.map(({ partition, offset, value }) => ({ ...numberedOf(value), partition, offset }));
}

/** Every record of a topic up to where it ends now, each partition in order. */
export async function readRecords(brokers: readonly string[], topic: string): Promise<readonly RawRecord[]> {
  const kafka = rawKafka(brokers);
  const missing = await endsOf(kafka, topic);
  const records: RawRecord[] = [];
  if (missing.size === 0) return records;
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>();
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  consumer.on('consumer.crash', ({ payload }) => {
    if (!payload.restart) reject(payload.error);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      const offset = BigInt(message.offset);
      const { key, value } = message;
      records.push({ partition, offset, key: key ?? Buffer.alloc(0), value: value ?? Buffer.alloc(0) });
      if (offset + 1n >= (missing.get(partition) ?? 0n)) missing.delete(partition);
      if (missing.size === 0) resolve();
    },
  });
  await whole;
  await consumer.disconnect();
  return records;
}

/** Where each partition that holds anything ends. */
async function endsOf(kafka: Kafka, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  // A leader that was just elected does not say at once.
  const offsets = await vi.waitFor(() => admin.fetchTopicOffsets(topic), { timeout: 30_000, interval: 200 });
  await admin.disconnect();
  const ends = offsets.map(({ partition, high }) => [partition, BigInt(high)] as const);
  return new Map(ends.filter(([, high]) => high > 0n));
}
