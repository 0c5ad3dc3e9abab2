import { randomBytes, randomUUID } from 'node:crypto';
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EventLog, PartitionRecords, Position } from '../../../services/event-log/event-log.ts';
import { positionAfter } from '../../../services/event-log/identity.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { KAFKA_CLIENT } from '../../support/event-log/kafka-client.ts';
import { createTopics } from '../../support/event-log/kafka-topics.ts';
import { PATIENT, placed, readCount, record, text, until, values } from '../../support/event-log/event-log.ts';

const url = await serverUrl('kafka');

describe.skipIf(url === undefined).each([KAFKA_CLIENT])('on a broker, by %s,', (client) => {
  const open = async (topics: readonly string[], query = '', partitions?: number): Promise<EventLog> => {
    const log = await openEventLog(`${url}?client=${client}${query}`, { topics, partitions });
    onTestFinished(() => log.close());
    return log;
  };
  const readFrom = (log: EventLog, topic: string, position: Position) =>
    log.openReader({ group: randomUUID(), topics: [topic], start: () => Promise.resolve([position]) });

  test('topics are created with settings that lose nothing', async () => {
    const topic = randomUUID();

    await open([topic]);

    const found = await withAdmin((admin) =>
      admin.describeConfigs({ includeSynonyms: false, resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }] }),
    );
    const configs = new Map(found.resources[0]!.configEntries.map((one) => [one.configName, one.configValue]));
    expect(Object.fromEntries(configs)).toMatchObject({
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'message.timestamp.type': 'LogAppendTime',
      'unclean.leader.election.enable': 'false',
    });
  });

  test('topics that would lose messages are refused, with the name of each setting', async () => {
    const topic = randomUUID();
    const configEntries = [
      { name: 'retention.ms', value: '1000' },
      { name: 'cleanup.policy', value: 'compact' },
    ];
    await withAdmin((admin) => createTopics(admin, [{ topic, numPartitions: 2, configEntries }]));

    const refusal = await open([topic, randomUUID()], '', 3).catch((error: unknown) => error);

    expect(refusal).toMatchObject({ code: 'LOG_MISCONFIGURED', retryable: false });
    for (const named of [topic, 'retention.ms', 'cleanup.policy', 'message.timestamp.type', 'number of partitions']) {
      expect(String(refusal)).toContain(named);
    }
  });

  test('topics are not created with create_topics=false', async () => {
    const [there, missing] = [randomUUID(), randomUUID()];
    await open([there]);

    await expect(open([there], '&create_topics=false')).resolves.toBeDefined();
    await expect(open([there, missing], '&create_topics=false')).rejects.toMatchObject({ code: 'LOG_MISCONFIGURED' });
  });

  test('topics created by several clients at once are created once', async () => {
    const topics = [randomUUID(), randomUUID()];

    const logs = await Promise.all([open(topics, '', 3), open(topics, '', 3), open(topics, '', 3)]);

    await Promise.all(logs.map((log) => log.append([record(topics[0]!, 'k', 'v')])));
    expect((await logs[0].ends(topics)).reduce((sum, { offset }) => sum + offset, 0n)).toBe(3n);
  });

  test('the log says what one copy of it takes at the brokers, where the client can ask', async () => {
    const log = await open(['events'], `&topic_prefix=${randomUUID()}.`, 3);
    const empty = await log.storedBytes?.();
    const noise = Array.from({ length: 100 }, (_, n) => ({
      ...record('events', `k${n}`, ''),
      value: randomBytes(10_000),
    }));

    await log.append(noise);

    const stored = await log.storedBytes?.();
    if (client === 'kafkajs') {
      expect([empty, stored]).toEqual([null, null]);
    } else {
      expect(empty).toBe(0);
      expect(stored).toBeGreaterThan(1_000_000);
      expect(stored).toBeLessThan(1_100_000);
    }
  });

  test('topics and groups have the prefix in Kafka, and none here', async () => {
    const [prefix, topic, group] = [`${randomUUID()}.`, 'events', 'readers'];
    const log = await open([topic], `&topic_prefix=${prefix}`);
    const reader = await log.openReader({ group, topics: [topic], start: () => Promise.resolve([]) });
    const [appended] = await log.append([record(topic, 'k', 'v')]);

    const [read] = await readCount(reader, 1);
    await reader.commit([positionAfter(read!, read!)]);

    expect(appended).toMatchObject({ topic });
    expect(read).toMatchObject({ topic });
    for await (const piece of log.scan([{ topic, partition: read!.partition, from: 0n, to: 1n }])) {
      expect(piece).toMatchObject({ topic, partition: read!.partition });
    }
    expect(new Set((await log.beginnings([topic])).map((one) => one.topic))).toEqual(new Set([topic]));
    await log.cut(await log.ends([topic]));
    expect(await log.beginnings([topic])).toEqual(await log.ends([topic]));
    expect(new Set(reader.assigned().map((one) => one.topic))).toEqual(new Set([topic]));
    const committed = await withAdmin((admin) => admin.fetchOffsets({ groupId: `${prefix}${group}` }));
    const { partition, offset, identity: metadata } = positionAfter(read!, read!);
    expect(committed.map((one) => one.topic)).toEqual([`${prefix}${topic}`]);
    expect(committed[0]?.partitions).toContainEqual(
      expect.objectContaining({ partition, offset: String(offset), metadata }),
    );
  });

  test('reading continues where records were deleted up to its position, and fails where they were deleted beyond it', async () => {
    const topic = randomUUID();
    const log = await open([topic], '', 1);
    await log.append(['a', 'b', 'c'].map((value) => record(topic, 'k', value)));
    const reader = await readFrom(log, topic, { topic, partition: 0, offset: 0n, identity: '' });
    const [a, b] = (await readCount(reader, 3)).map((one) => positionAfter(one, one));

    await withAdmin(async (admin) => {
      // It deletes from topics that it has heard of.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    });

    const scanned: string[] = [];
    for await (const piece of log.scan([{ topic, partition: 0, from: 0n, to: 9n }])) scanned.push(...valuesOf(piece));
    expect(scanned).toEqual(['c']);
    expect(await log.beginnings([topic])).toEqual([{ topic, partition: 0, offset: 2n }]);
    expect(values(await readCount(await readFrom(log, topic, b!), 1))).toEqual(['c']);
    const lost = await readFrom(log, topic, a!);
    await expect(lost.poll(PATIENT)).rejects.toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a topic that was deleted and created again is detected', async () => {
    const topic = randomUUID();
    const old = await open([topic], '', 1);
    const appended = [record(topic, 'k', 'a'), record(topic, 'k', 'b')];
    await old.append(appended);
    const reader = await readFrom(old, topic, { topic, partition: 0, offset: 0n, identity: '' });
    const [, second] = (await readCount(reader, 2)).map((one) => positionAfter(one, one));
    await reader.close();
    await withAdmin(async (admin) => {
      await admin.deleteTopics({ topics: [topic] });
      await until(async () => !(await admin.listTopics()).includes(topic));
    });
    const anew = await untilMade(() => open([topic], '', 1));

    await anew.append([record(topic, 'k', 'a'), record(topic, 'k', 'other'), record(topic, 'k', 'c')]);

    await expect((await readFrom(anew, topic, second!)).poll(PATIENT)).rejects.toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a long log is read whole and in order, in polls of any size', async () => {
    const topic = randomUUID();
    const log = await open([topic], '', 1);
    const padding = 'x'.repeat(2_000);
    const given = Array.from({ length: 5_000 }, (_, i) => record(topic, 'k', `${i}:${padding}`));
    await log.append(given);
    const reader = await readFrom(log, topic, { topic, partition: 0, offset: 0n, identity: '' });
    const read: string[] = [];

    for (let maxRecords = 1; read.length < given.length; maxRecords = (maxRecords * 3) % 2_000) {
      read.push(...placed(await reader.poll({ ...PATIENT, maxRecords })).map(({ value }) => text(value)));
    }

    expect(read.map((value) => value.split(':')[0])).toEqual(given.map((_, i) => String(i)));
  });
});

function valuesOf(piece: PartitionRecords): readonly string[] {
  return values(placed([piece]));
}

async function untilMade(make: () => Promise<EventLog>): Promise<EventLog> {
  let made: EventLog | undefined;
  await until(async () => {
    made = await make().catch(() => undefined);
    return made !== undefined;
  });
  return made!;
}

async function withAdmin<T>(use: (admin: Admin) => Promise<T>): Promise<T> {
  const brokers = url!.replace('kafka://', '').split(',');
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}
