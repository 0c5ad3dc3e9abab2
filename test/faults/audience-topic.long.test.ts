/** The topic of changes while its broker is unreachable, or answers are lost. */
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { KafkaChangeTopic } from '../../services/app/webhooks/kafka-change-topic.ts';
import { avroType } from '../../services/messages/avro.ts';
import { Codec } from '../../services/messages/codec.ts';
import { AUDIENCE_CHANGE_TOPIC } from '../../services/messages/message.ts';
import { currentSchemaOf, EmbeddedSchemaIds } from '../../services/messages/schema-ids.ts';
import { TOPIC_URL } from '../../services/webhooks/topic.ts';
import { serverUrl } from '../servers/server.ts';
import { KAFKA_CLIENT } from '../support/event-log/kafka-client.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';
import { readRecords } from './kafka/raw-reader.ts';

const PATIENCE = { timeout: 120_000, interval: 500 };
// Where one Kafka can be had, more can.
const canRun = (await serverUrl('kafka')) !== undefined;
const [tested] = await testedAnalytics();
const SCHEMA = avroType(currentSchemaOf(AUDIENCE_CHANGE_TOPIC));

interface Written {
  readonly message_id: string;
  readonly user_id: string;
  readonly change: string;
}

describe.skipIf(!canRun)('the topic of changes under faults', () => {
  let kafka: ProxiedKafka;
  beforeAll(async () => {
    kafka = await ProxiedKafka.start(1);
  });
  afterEach(() => kafka.heal());
  afterAll(() => kafka?.stop());
  const { scene } = webhookScenes(tested!);
  let count = 0;

  /** Sends to a topic of its own. Resolves with what is in that. */
  function begin(): () => Promise<readonly Written[]> {
    const prefix = `t${++count}.`;
    const eventLogUrl = `${kafka.url(KAFKA_CLIENT)}&topic_prefix=${prefix}`;
    const config = { eventLogUrl, eventLogPartitions: 3, migrate: true };
    const codec = new Codec(new EmbeddedSchemaIds());
    const topic = new KafkaChangeTopic(config, { warn: () => undefined }, async () => codec);
    const deliverer = scene().deliverer({ topic });
    onTestFinished(() => deliverer.stop());
    deliverer.start();
    return async () => {
      const records = await readRecords(kafka.addresses, `${prefix}${AUDIENCE_CHANGE_TOPIC}`);
      return records.map(({ value }) => SCHEMA.fromBuffer(value.subarray(5)) as Written);
    };
  }

  test('what a broker was unreachable for comes in order afterwards, under the ids that failed', async () => {
    await scene().evaluate();
    const { id } = await scene().endpoint(TOPIC_URL);
    const written = begin();
    await scene().evaluate(1);
    await expect.poll(async () => (await written()).length, PATIENCE).toBe(1);
    kafka.brokers[0]!.proxy.refuse();
    await scene().evaluate(1, 2);
    await scene().evaluate(2);
    await expect.poll(async () => (await scene().state(id)).failures, PATIENCE).toBe(1);
    const [failed] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 1 });
    await kafka.brokers[0]!.proxy.accept();

    await scene().waitIsOver();

    await expect.poll(async () => (await scene().state(id)).waitingSinceMs, PATIENCE).toBeNull();
    const records = await written();
    const ofUser = (user: string) => records.filter(({ user_id: one }) => one === user).map(({ change }) => change);
    expect([ofUser('user-1'), ofUser('user-2')]).toEqual([['entered', 'left'], ['entered']]);
    expect(failed?.lastAttempt?.error).toMatch(/^LOG_UNAVAILABLE: /u);
    expect(records.filter(({ message_id: one }) => one.startsWith(`${failed!.id}/`)).length).toBeGreaterThan(0);
  });

  test('an answer of the broker that is lost makes the same record twice, under one id', async () => {
    await scene().evaluate();
    await scene().endpoint(TOPIC_URL);
    const written = begin();
    await scene().evaluate(1);
    await expect.poll(async () => (await written()).length, PATIENCE).toBe(1);
    let lost = 0;
    kafka.brokers[0]!.proxy.onProduce = () => (lost++ === 0 ? 'lose response' : 'pass');

    await scene().evaluate(1, 2);

    await expect.poll(async () => (await written()).length, PATIENCE).toBe(3);
    const ids = (await written()).filter(({ user_id: one }) => one === 'user-2').map(({ message_id: one }) => one);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });
});
