/** The whole log, record by record, past the service's readers: Kafka by kafkajs alone, the embedded log by a scan. */
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { isBlank } from '../../../services/event-log/blank.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { DEAD_LETTER_TOPIC, MESSAGE_TOPICS, TOPICS } from '../../../services/messages/message.ts';
import { decodeLogged } from './decode-logged.ts';
import type { LoggedMessage } from './model.ts';

/** A log that was read. */
export interface ReadLog {
  /** The next offset of every partition of a topic of messages that holds any, as `topic/partition`. */
  readonly ends: ReadonlyMap<string, bigint>;
  readonly deadLetters: number;
  /** Where records stand that are no messages. */
  readonly undecodable: readonly string[];
}

/** Without a value where the record is of somebody who was forgotten. */
type Take = (topic: string, partition: number, offset: bigint, value: Uint8Array | undefined) => void;

/** Calls for every message, each partition in order. */
export async function readLog(url: string, onMessage: (message: LoggedMessage) => void): Promise<ReadLog> {
  const ends = new Map<string, bigint>();
  const undecodable: string[] = [];
  let deadLetters = 0;
  const take: Take = (topic, partition, offset, value) => {
    if (topic === DEAD_LETTER_TOPIC) {
      deadLetters++;
      return;
    }
    ends.set(`${topic}/${partition}`, offset + 1n);
    if (value === undefined) return;
    const message = decodeLogged(topic, partition, offset, value);
    if (message === undefined) undecodable.push(`${topic}/${partition}@${offset}`);
    else onMessage(message);
  };
  await (url.startsWith('kafka:') ? readKafka(url, take) : readEmbedded(url, take));
  return { ends, deadLetters, undecodable };
}

/** All but that of projects, which no reader of messages follows. */
const READ_TOPICS = [...MESSAGE_TOPICS, DEAD_LETTER_TOPIC];

async function readEmbedded(url: string, take: Take): Promise<void> {
  const log = await openEventLog(url, { topics: TOPICS });
  try {
    const ranges = (await log.ends(READ_TOPICS)).map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
    for await (const { topic, partition, records } of log.scan(ranges, { withBlank: true })) {
      for (const record of records) take(topic, partition, record.offset, isBlank(record) ? undefined : record.value);
    }
  } finally {
    await log.close();
  }
}

async function readKafka(url: string, take: Take): Promise<void> {
  const { host, searchParams, username, password } = new URL(url.replace('kafka:', 'http:').replaceAll(/,[^?/]*/g, ''));
  const others = /,([^?/]*)/.exec(url)?.[1]?.split(',') ?? [];
  const prefix = searchParams.get('topic_prefix') ?? '';
  const kafka = new Kafka({
    brokers: [host, ...others],
    ...(username !== '' && { sasl: { mechanism: 'plain', username, password } }),
    logLevel: logLevel.NOTHING,
    retry: { retries: 20, maxRetryTime: 1_000 },
  });
  for (const topic of READ_TOPICS) {
    await readTopic(kafka, prefix + topic, (partition, offset, value) => take(topic, partition, offset, value));
  }
}

/** Up to where it ends now. */
async function readTopic(
  kafka: Kafka,
  topic: string,
  take: (partition: number, offset: bigint, value: Uint8Array | undefined) => void,
): Promise<void> {
  const missing = await endsOf(kafka, topic);
  if (missing.size === 0) return;
  const whole = Promise.withResolvers<void>();
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  consumer.on('consumer.crash', ({ payload }) => {
    if (!payload.restart) whole.reject(payload.error);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      const offset = BigInt(message.offset);
      const end = missing.get(partition);
      if (end === undefined || offset >= end) return;
      const isOfNobody = message.key === null && message.value === null;
      take(partition, offset, isOfNobody ? undefined : (message.value ?? Buffer.alloc(0)));
      if (offset + 1n >= end) missing.delete(partition);
      if (missing.size === 0) whole.resolve();
    },
  });
  await whole.promise;
  await consumer.disconnect();
}

/** Where each partition that holds anything ends. */
async function endsOf(kafka: Kafka, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const ends = offsets.map(({ partition, high }) => [partition, BigInt(high)] as const);
  return new Map(ends.filter(([, high]) => high > 0n));
}
