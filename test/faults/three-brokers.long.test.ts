import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { placed, placeOf, record } from '../support/event-log/event-log.ts';
import { KAFKA_CLIENT } from '../support/event-log/kafka-client.ts';
import { serverUrl } from '../servers/server.ts';
import { appendUnderFault } from './appends-under-fault.ts';
import { inSync, leadersOf, moveLeaders } from './kafka/leaders.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';
import { TcpProxy } from './tcp-proxy.ts';

// Where one Kafka can be had, more can.
const canRun = (await serverUrl('kafka')) !== undefined;

let kafka: ProxiedKafka;

beforeAll(async () => {
  kafka = await ProxiedKafka.start(3);
});
afterEach(() => kafka.heal());
afterAll(() => kafka?.stop());

describe.skipIf(!canRun).each([KAFKA_CLIENT])('the event log by %s on three brokers', (client) => {
  async function open() {
    const topic = `t-${randomUUID()}`;
    const log = await openEventLog(kafka.url(client), { topics: [topic], partitions: 6 });
    onTestFinished(() => log.close());
    return { log, topic, brokers: kafka.addresses };
  }

  test(
    'the log loses and reorders nothing while every leader moves, again and again',
    { timeout: 120_000 },
    async () => {
      const bench = await open();
      const ids = kafka.brokers.map(({ id }) => id);

      const { resumedAfterMs } = await appendUnderFault({
        ...bench,
        fault: async () => {
          for (let round = 0; round < 4; round++) await moveLeaders(bench.brokers, bench.topic, ids);
        },
      });

      report(`${client}: ${resumedAfterMs} ms after the last leader moved every writer goes on`);
    },
  );

  test('a scan brings all of a topic, in order, while every leader moves', { timeout: 120_000 }, async () => {
    const { log, topic, brokers } = await open();
    const partitions = Array.from({ length: 6 }, (_, partition) => ({ topic, partition, from: 0n, to: 2n ** 50n }));
    // More than is read ahead.
    const padding = 'x'.repeat(10_000);
    const appended = await log.append(Array.from({ length: 3_000 }, (_, i) => record(topic, `k${i}`, padding)));
    const scanned: string[] = [];

    let moving: Promise<void> | undefined;
    for await (const piece of log.scan(partitions, { maxRecords: 20 })) {
      moving ??= moveLeaders(
        brokers,
        topic,
        kafka.brokers.map(({ id }) => id),
      );
      scanned.push(...placed([piece]).map(placeOf));
      if (scanned.length > 1_000) await moving;
    }

    expect(scanned.toSorted()).toEqual(appended.map(placeOf).toSorted());
    for (const { partition } of partitions) {
      const of = (places: readonly string[]) => places.filter((one) => one.startsWith(`${topic}/${partition}@`));
      expect(of(scanned)).toEqual(of(appended.map(placeOf)));
    }
  });

  test('the log opens where the first address accepts connections and closes them', async () => {
    const nobody = await TcpProxy.before('http://127.0.0.1:1');
    onTestFinished(() => nobody.close());
    const url = kafka.url(client).replace('kafka://', `kafka://${new URL(nobody.url).host},`);

    const log = await openEventLog(url, { topics: [`t-${randomUUID()}`], partitions: 6 });

    await log.close();
  });

  test.each([0, 1, 2])(
    'the log loses nothing by kill -9 of broker %i under load',
    { timeout: 120_000 },
    async (index) => {
      const bench = await open();
      const broker = kafka.brokers[index]!;
      await inSync(bench.brokers, bench.topic, 3);
      expect(await leadersOf(bench.brokers, bench.topic)).toContain(broker.id);

      const { resumedAfterMs, rejections } = await appendUnderFault({ ...bench, fault: () => broker.kill() });

      report(
        `${client}: ${resumedAfterMs} ms after kill -9 of a leader every writer goes on, ${rejections} rejections`,
      );
      await broker.start();
    },
  );
});

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
