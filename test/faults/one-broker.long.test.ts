import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { EventLog, LogReader } from '../../services/event-log/event-log.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { hasCode, isRetryable } from '../../services/runtime/errors.ts';
import { serverUrl } from '../servers/server.ts';
import { PATIENT, placed, type PlacedRecord, placeOf, records, until } from '../support/event-log/event-log.ts';
import { KAFKA_CLIENT } from '../support/event-log/kafka-client.ts';
import { appendUnderFault } from './appends-under-fault.ts';
import { compare, NOTHING } from './compare-log.ts';
import type { ProduceFault } from './kafka/kafka-proxy.ts';
import { type ProxiedBroker, ProxiedKafka } from './kafka/proxied-kafka.ts';
import { readWhole } from './kafka/raw-reader.ts';
import { numberedOf, RememberingAppends } from './remembering-appends.ts';

// Where one Kafka can be had, more can.
const canRun = (await serverUrl('kafka')) !== undefined;

let kafka: ProxiedKafka;
let broker: ProxiedBroker;

beforeAll(async () => {
  kafka = await ProxiedKafka.start(1);
  broker = kafka.brokers[0]!;
});
afterEach(() => kafka.heal());
afterAll(() => kafka?.stop());

describe.skipIf(!canRun).each([KAFKA_CLIENT])('the event log by %s', (client) => {
  async function open(topic = `t-${randomUUID()}`) {
    const log = await openEventLog(kafka.url(client), { topics: [topic], partitions: 6 });
    onTestFinished(() => log.close());
    return { log, topic, brokers: kafka.addresses };
  }

  /** Every nth produce request meets a fault. */
  function everyNth(n: number, ...faults: ProduceFault[]): void {
    let seen = 0;
    broker.proxy.onProduce = () => (++seen % n === 0 ? faults[(seen / n) % faults.length]! : 'pass');
  }

  test('the log loses and reorders nothing where responses are lost after the write', async () => {
    const bench = await open();

    const { repeats } = await appendUnderFault({
      ...bench,
      fault: async () => {
        everyNth(5, 'lose response');
        await until(() => broker.proxy.hits('lose response') >= 10);
        broker.proxy.onProduce = () => 'pass';
      },
    });

    expect(repeats).toBeGreaterThan(0);
  });

  test('the log loses and reorders nothing where connections are cut in the middle of a request', async () => {
    const bench = await open();

    await appendUnderFault({
      ...bench,
      fault: async () => {
        everyNth(4, 'cut', 'lose response');
        broker.proxy.responseDelayMs = 5;
        await until(() => broker.proxy.hits('cut') >= 10);
        await kafka.heal();
      },
    });
  });

  test('the log gives up a connection that is open and silent', async () => {
    const bench = await open();

    const { resumedAfterMs } = await appendUnderFault({
      ...bench,
      fault: async () => {
        everyNth(1, 'freeze');
        await until(() => broker.proxy.hits('freeze') >= 1);
        broker.proxy.onProduce = () => 'pass';
      },
    });

    report(`${client}: ${resumedAfterMs} ms after a connection froze every writer goes on`);
  });

  test('the log continues when a stopped broker is back', { timeout: 60_000 }, async () => {
    const bench = await open();

    const { resumedAfterMs } = await appendUnderFault({
      ...bench,
      fault: async () => {
        await broker.stop();
        await broker.start();
      },
    });

    report(`${client}: ${resumedAfterMs} ms after the broker is back every writer goes on`);
  });

  test(
    'an append is refused as unavailable while the broker is unreachable, and may be repeated',
    {
      timeout: 120_000,
    },
    async () => {
      const { log, topic, brokers } = await open();
      const load = new RememberingAppends({ log, topic, writers: 4, keysAWriter: 1 });
      load.start();
      await until(() => load.acknowledgedSince(0));

      broker.proxy.refuse();
      await until(() => broker.proxy.connections === 0);
      const [acknowledged, unreachableAt] = [load.acknowledged.length, performance.now()];
      const refused = log.append(records(topic, 1)).catch((error: unknown) => error);
      const checked = log.check().catch((error: unknown) => error);

      expect(hasCode(await checked, 'LOG_UNAVAILABLE')).toBe(true);
      expect(hasCode(await refused, 'LOG_UNAVAILABLE')).toBe(true);
      report(
        `${client}: ${Math.round(performance.now() - unreachableAt)} ms until an append is refused while the log is unreachable`,
      );
      expect([load.rejections > 0, load.acknowledged.length]).toEqual([true, acknowledged]);
      await broker.proxy.accept();
      await load.stop();
      expect(compare(await readWhole(brokers, topic), load.acknowledged)).toEqual(NOTHING);
    },
  );

  test('opening the log where nobody listens fails as unavailable, and may be tried again', async () => {
    broker.proxy.refuse();

    const opened = openEventLog(kafka.url(client), { topics: ['t'], partitions: 6 });

    const error = await opened.catch((error: unknown) => error);
    expect(hasCode(error, 'LOG_UNAVAILABLE')).toBe(true);
  });

  test('a reader gets every record in order over connections that are cut again and again', async () => {
    const { log, topic } = await open();
    const load = new RememberingAppends({ log, topic, writers: 4, keysAWriter: 2 });
    load.start();
    const reader = await log.openReader({ group: randomUUID(), topics: [topic], start: () => Promise.resolve([]) });
    const read: PlacedRecord[] = [];

    for (let cuts = 0; cuts < 10; cuts++) {
      read.push(...(await readSome(reader)));
      broker.proxy.cut();
    }
    await load.stop();
    const ends = await log.ends([topic]);
    while (!reaches(read, ends)) read.push(...(await readSome(reader)));

    const seen = read.map(({ partition, offset, value }) => ({ ...numberedOf(value), partition, offset }));
    expect(compare(seen, load.acknowledged)).toEqual(NOTHING);
  });
});

/** A poll that fails for something passing is made again, as the readers do. */
async function readSome(reader: LogReader): Promise<readonly PlacedRecord[]> {
  try {
    return placed(await reader.poll({ ...PATIENT, maxRecords: 200, maxWaitMs: 1_000 }));
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return [];
  }
}

function reaches(read: readonly PlacedRecord[], ends: Awaited<ReturnType<EventLog['ends']>>): boolean {
  const held = new Set(read.map(placeOf));
  return ends.every((end) => end.offset === 0n || held.has(placeOf({ ...end, offset: end.offset - 1n })));
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
