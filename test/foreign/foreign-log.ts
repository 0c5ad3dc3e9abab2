import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { blankRecord } from '../../services/event-log/blank.ts';
import { openEventLog, openExpiringTopic, openLogCopy } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import {
  type DeadLetter,
  type AudienceChange,
  AUDIENCE_CHANGE_TOPIC,
  DEAD_LETTER_TOPIC,
  type Message,
  topicOf,
  TOPICS,
} from '../../services/messages/message.ts';
import { partitionKeyOf } from '../../services/messages/user-key.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';

export interface ForeignLog {
  /** As Kafka's own clients want them. */
  readonly brokers: string;
  /** Before every topic's name. */
  readonly prefix: string;
}

/** Topics of a test's own, with these in them, written as the service writes, and blank records among the messages. */
export async function writeForeignLog(
  kafka: string,
  registry: string,
  messages: readonly Message[],
  deadLetters: readonly DeadLetter[],
  changes: readonly AudienceChange[] = [],
): Promise<ForeignLog> {
  const prefix = `foreign-${randomUUID()}.`;
  const codec = new Codec(await openSchemaIds(registry, { topicPrefix: prefix }));
  const [address = '', options = ''] = kafka.split('?');
  const url = `${address}?${options}&topic_prefix=${prefix}`;
  const log = await openEventLog(url, { topics: TOPICS, partitions: 4 });
  onTestFinished(() => log.close());
  const records = messages.map((message) => ({
    topic: topicOf(message),
    key: partitionKeyOf(message),
    value: codec.encode(message),
  }));
  const half = Math.ceil(records.length / 2);
  await log.append(records.slice(0, half));
  await appendBlank(url);
  await log.append([
    ...records.slice(half),
    ...deadLetters.map((deadLetter) => ({
      topic: DEAD_LETTER_TOPIC,
      key: deadLetter.key,
      value: codec.encodeDeadLetter(deadLetter),
    })),
  ]);
  await writeChanges(url, codec, changes);
  return { brokers: address.slice('kafka://'.length), prefix };
}

async function writeChanges(url: string, codec: Codec, changes: readonly AudienceChange[]): Promise<void> {
  const options = { topic: AUDIENCE_CHANGE_TOPIC, alike: TOPICS, logger: { warn: () => undefined } };
  const topic = await openExpiringTopic(url, options);
  const records = changes.map((change) => ({
    topic: AUDIENCE_CHANGE_TOPIC,
    key: partitionKeyOf(change),
    value: codec.encodeAudienceChange(change),
  }));
  await topic.append(records);
  await topic.close();
}

/** Two at the end of each partition, as `tidemark log renew` writes them. */
async function appendBlank(url: string): Promise<void> {
  const log = await openLogCopy(url, { topics: TOPICS, partitions: 4 });
  for (const { topic, partition, offset } of await log.ends(TOPICS)) {
    const blank = [offset, offset + 1n].map((at) => blankRecord({ offset: at, appendedAtMs: Date.now() }));
    await log.appendAt({ topic, partition }, blank);
  }
  await log.finish();
  await log.close();
}
