import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PlatformaticWire } from '../../../services/event-log/kafka/platformatic/client.ts';
import { setTimestamps } from '../../../services/event-log/kafka/platformatic/topic-config.ts';
import { BROKER_TIME } from '../../../services/event-log/kafka/topics.ts';
import { parseKafkaUrl } from '../../../services/event-log/kafka/url.ts';
import { openEventLog, openLogCopy } from '../../../services/event-log/open.ts';
import { testLogCopy } from '../../contract/event-log/log-copy.ts';
import { serverUrl } from '../../servers/server.ts';

const url = (await serverUrl('kafka')) ?? '';

describe.skipIf(url === '')('on a broker', () => {
  testLogCopy('Kafka', async () => ({
    openCopy: (options) => openLogCopy(url, options),
    openLog: (topics) => openEventLog(url, { topics }),
  }));

  test('topics that a copy created and did not fill are opened by a service', async () => {
    const topics = [`copied-${randomUUID()}`];
    const copy = await openLogCopy(url, { topics });
    await copy.close();

    const log = await openEventLog(url, { topics });
    onTestFinished(() => log.close());
    const [appended] = await log.append([{ topic: topics[0] ?? '', key: Buffer.from('k'), value: Buffer.from('v') }]);

    expect(Math.abs(Date.now() - (appended?.appendedAtMs ?? 0))).toBeLessThan(60_000);
  });

  test('a copy ends where the broker gives records its own time', async () => {
    const topic = `copied-${randomUUID()}`;
    const copy = await openLogCopy(url, { topics: [topic] });
    onTestFinished(() => copy.close());
    const record = (offset: bigint) => ({
      offset,
      appendedAtMs: 1_000,
      key: Buffer.from('k'),
      value: Buffer.from('v'),
    });
    await copy.appendAt({ topic, partition: 0 }, [record(0n)]);
    await setBrokerTime(topic);

    const appended = copy.appendAt({ topic, partition: 0 }, [record(1n)]);

    await expect(appended).rejects.toMatchObject({ code: 'RESTORE_REFUSED', message: expect.stringContaining(topic) });
  });
});

/** As another program would. */
async function setBrokerTime(topic: string): Promise<void> {
  const settings = parseKafkaUrl(url);
  const wire = new PlatformaticWire(settings);
  await setTimestamps({ wire, settings }, [settings.topicPrefix + topic], BROKER_TIME);
  await wire.close();
}
