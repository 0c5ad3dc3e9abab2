import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import type { DeadLetter } from '../../services/messages/dead-letter.ts';
import { DEAD_LETTER_TOPIC, type Message, topicOf, TOPICS } from '../../services/messages/message.ts';
import { partitionKeyOf } from '../../services/messages/user-key.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';

export interface ForeignLog {
  /** As Kafka's own clients want them. */
  readonly brokers: string;
  /** Before every topic's name. */
  readonly prefix: string;
}

/** Topics of a test's own, with these in them, written as the service writes. */
export async function writeForeignLog(
  kafka: string,
  registry: string,
  messages: readonly Message[],
  deadLetters: readonly DeadLetter[],
): Promise<ForeignLog> {
  const prefix = `foreign-${randomUUID()}.`;
  const codec = new Codec(await openSchemaIds(registry, { topicPrefix: prefix }));
  const [address = '', options = ''] = kafka.split('?');
  const log = await openEventLog(`${address}?${options}&topic_prefix=${prefix}`, { topics: TOPICS, partitions: 4 });
  onTestFinished(() => log.close());
  await log.append([
    ...messages.map((message) => ({
      topic: topicOf(message),
      key: partitionKeyOf(message),
      value: codec.encode(message),
    })),
    ...deadLetters.map((deadLetter) => ({
      topic: DEAD_LETTER_TOPIC,
      key: deadLetter.key,
      value: codec.encodeDeadLetter(deadLetter),
    })),
  ]);
  return { brokers: address.slice('kafka://'.length), prefix };
}
