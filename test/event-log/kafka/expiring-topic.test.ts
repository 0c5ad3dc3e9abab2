import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEventLog, openExpiringTopic } from '../../../services/event-log/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createTopics } from '../../support/event-log/kafka-topics.ts';
import { readRecords } from '../../faults/kafka/raw-reader.ts';

const DAY_MS = 86_400_000;
const url = await serverUrl('kafka');
const brokers = url === undefined ? [] : new URL(url).host.split(',');
const TOPIC = 'feed';

/** Topics of a test's own: where they are, and the prefix of their names. */
function ownTopics(): { readonly own: string; readonly prefix: string } {
  const prefix = `${randomUUID().slice(0, 8)}.`;
  return { own: `${url}${url?.includes('?') ? '&' : '?'}topic_prefix=${prefix}`, prefix };
}

async function openLog(own: string) {
  const log = await openEventLog(own, { topics: ['log'], partitions: 3 });
  onTestFinished(() => log.close());
  return log;
}

async function openTopic(own: string) {
  const warnings: object[] = [];
  const logger = { warn: (line: object) => void warnings.push(line) };
  const topic = await openExpiringTopic(own, { topic: TOPIC, alike: ['log'], logger });
  onTestFinished(() => topic.close());
  return { topic, warnings };
}

describe.skipIf(url === undefined)('a topic beside the log', () => {
  test('a topic beside the log is created with the partitions of the log, keeps records for eight days, and is appended to', async () => {
    const { own, prefix } = ownTopics();
    const log = await openLog(own);
    const before = await log.keptMs?.(TOPIC);

    const { topic, warnings } = await openTopic(own);
    await topic.append([{ topic: TOPIC, key: Buffer.from('k'), value: Buffer.from('v') }]);

    expect(await readRecords(brokers, `${prefix}${TOPIC}`)).toMatchObject([{ offset: 0n, value: Buffer.from('v') }]);
    expect([before, await log.keptMs?.(TOPIC), await log.keptMs?.('log')]).toEqual([undefined, 8 * DAY_MS, null]);
    expect(warnings).toEqual([]);
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    expect(await admin.fetchTopicOffsets(`${prefix}${TOPIC}`)).toHaveLength(3);
    await admin.disconnect();
  });

  test('a topic that operators have set otherwise stays so, is named, and says how long it keeps records', async () => {
    const { own, prefix } = ownTopics();
    const log = await openLog(own);
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const configEntries = [
      { name: 'retention.ms', value: String(2 * DAY_MS) },
      { name: 'segment.ms', value: String(DAY_MS) },
    ];
    await createTopics(admin, [{ topic: `${prefix}${TOPIC}`, numPartitions: 2, configEntries }]);
    await admin.disconnect();

    const { topic, warnings } = await openTopic(own);
    await topic.append([{ topic: TOPIC, key: Buffer.from('k'), value: Buffer.from('v') }]);

    expect(JSON.stringify(warnings)).toContain('retention.ms is 172800000, wanted 604800000');
    expect(await log.keptMs?.(TOPIC)).toBe(3 * DAY_MS);
  });
});

test('an embedded log has no topics beside it', async () => {
  const own = `log:${await temporaryFolder()}/log`;

  const opened = openExpiringTopic(own, { topic: TOPIC, alike: [], logger: { warn: () => undefined } });

  await expect(opened).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect('keptMs' in (await openLog(own))).toBe(false);
});
