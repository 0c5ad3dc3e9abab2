import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../../services/event-log/event-log.ts';
import { AppendQueue, type AppendQueueOptions } from '../../../services/event-log/kafka/append-queue.ts';
import type { PartitionBatch } from '../../../services/event-log/kafka/wire.ts';
import { keyIn, record, text, until } from '../../support/event-log/event-log.ts';
import { BROKER_TOPIC, type Fate, KafkaInMemory } from '../../support/event-log/kafka-broker.ts';

const KEYS = [keyIn(0, 2), keyIn(1, 2)];
const to = (partition: number, value: string): NewRecord => record(BROKER_TOPIC, KEYS[partition]!, value);
const valuesOf = ({ records }: PartitionBatch): string[] => records.map(({ value }) => text(value));

function queueOn(kafka: KafkaInMemory, options: Partial<AppendQueueOptions> = {}): AppendQueue {
  return new AppendQueue({ layout: kafka.layout, wire: kafka, leaders: kafka, maxBatchBytes: 2 ** 20, ...options });
}

/** Holds answers back until it is opened. */
function closedGate(kafka: KafkaInMemory, held: (broker: number) => boolean = () => true): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  kafka.gate = (broker) => (held(broker) ? promise : Promise.resolve());
  return resolve;
}

describe('appends to Kafka', () => {
  test('records that arrive while a request is in progress share the next request', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    const open = closedGate(kafka);
    const first = queue.append([to(0, 'first')]);
    await until(() => kafka.requests.length === 1);
    const later = Array.from({ length: 50 }, (_, i) => queue.append([to(i % 2, `later ${i}`)]));

    open();
    await Promise.all([first, ...later]);

    expect(kafka.requests.map(({ batches }) => batches.map((batch) => batch.records.length))).toEqual([[1], [25, 25]]);
  });

  test('an append resolves with the offset of each record, in the order given', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    await queue.append([to(1, 'before')]);

    const appended = await queue.append([to(1, 'a'), to(0, 'b'), to(1, 'c')]);

    const at = { topic: BROKER_TOPIC, appendedAtMs: 7 };
    expect(appended).toEqual([
      { ...at, partition: 1, offset: 1n },
      { ...at, partition: 0, offset: 0n },
      { ...at, partition: 1, offset: 2n },
    ]);
  });

  test('records are resent until an answer acknowledges their partition', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    const fates: Fate[] = ['unanswered', 'refused', 'written'];
    kafka.fate = ({ partition }) => (partition === 1 ? (fates.shift() ?? 'written') : 'written');

    const [named, missing] = await Promise.all([queue.append([to(0, 'named')]), queue.append([to(1, 'missing')])]);

    expect(named[0]).toMatchObject({ partition: 0, offset: 0n });
    expect(missing[0]).toMatchObject({ partition: 1, offset: 1n });
    expect(kafka.values(0)).toEqual(['named']);
    expect(kafka.values(1)).toEqual(['missing', 'missing']);
  });

  test('a partition keeps its order: nothing later is sent before what is resent', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    let refusals = 2;
    kafka.fate = () => (refusals-- > 0 ? 'refused' : 'written');
    const first = queue.append([to(0, '1')]);
    await until(() => kafka.requests.length === 1);

    await Promise.all([first, queue.append([to(0, '2')]), queue.append([to(0, '3')])]);

    expect(kafka.values(0)).toEqual(['1', '2', '3']);
    expect(kafka.requests.flatMap(({ batches }) => batches.map((batch) => valuesOf(batch)[0]))).not.toContain('2');
  });

  test('a resend goes to the current leader', async () => {
    const kafka = new KafkaInMemory();
    kafka.leaders = [2, 2];
    const leaders = { of: () => (kafka.refreshes > 0 ? 2 : 1), refresh: () => kafka.refresh() };

    await queueOn(kafka, { leaders }).append([to(0, 'moved')]);

    expect(kafka.requests.map(({ broker }) => broker)).toEqual([1, 2]);
    expect(kafka.values(0)).toEqual(['moved']);
  });

  test('a blocked broker does not delay appends for another', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    kafka.leaders = [1, 2];
    const open = closedGate(kafka, (broker) => broker === 1);
    const held = queue.append([to(0, 'held')]);

    await expect(queue.append([to(1, 'free')])).resolves.toHaveLength(1);

    open();
    await held;
  });

  test('large appends are split into batches that a topic accepts', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka, { maxBatchBytes: 1_000 });
    const given = Array.from({ length: 10 }, (_, i) => to(0, String(i).padEnd(200, 'x')));

    await queue.append(given);

    const batches = kafka.requests.flatMap(({ batches }) => batches);
    expect(batches.length).toBeGreaterThan(2);
    expect(batches.every((batch) => valuesOf(batch).join('').length < 1_000)).toBe(true);
    expect(kafka.values(0).map((value) => value[0])).toEqual(given.map((_, i) => String(i)));
  });

  test('a record too large for a batch, or for an unknown topic, is refused at once', () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka, { maxBatchBytes: 1_000 });

    expect(() => queue.append([to(0, 'x'.repeat(1_000))])).toThrow(RangeError);
    expect(() => queue.append([record('unknown', 'k', 'v')])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
    expect(kafka.requests).toEqual([]);
  });

  test('an append that is not acknowledged in time is given up, and not sent again', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka, { patienceMs: 200 });
    kafka.fate = () => 'refused';

    await expect(queue.append([to(0, 'given up')])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });

    kafka.fate = () => 'written';
    await queue.append([to(0, 'later')]);
    expect(kafka.values(0)).toEqual(['later']);
  });

  test('records beyond the limit of buffered bytes are refused as retryable until there is room', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka, { maxBufferedBytes: 2_000 });
    const open = closedGate(kafka);
    const first = queue.append([to(0, 'x'.repeat(1_500))]);

    expect(() => queue.append([to(0, 'y'.repeat(1_500))])).toThrow(
      expect.objectContaining({ code: 'LOG_UNAVAILABLE' }),
    );

    open();
    await first;
    await expect(queue.append([to(0, 'y'.repeat(1_500))])).resolves.toHaveLength(1);
  });

  test('finishing the queue finishes the appends in progress', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    const settled: string[] = [];
    const fates: Fate[] = ['refused', 'unanswered'];
    kafka.fate = () => fates.shift() ?? 'written';
    void queue.append([to(0, 'a'), to(1, 'b')]).then(() => settled.push('appended'));

    await queue.finish(20_000);

    expect(settled).toEqual(['appended']);
  });

  test('finishing the queue gives up what is not acknowledged in time, though a request is never answered', async () => {
    const kafka = new KafkaInMemory();
    const queue = queueOn(kafka);
    kafka.gate = () => new Promise(() => undefined);
    const givenUp = queue.append([to(0, 'v')]).catch((error: unknown) => error);

    await queue.finish(20);

    expect(await givenUp).toMatchObject({ code: 'LOG_UNAVAILABLE' });
  });

  test('no record is lost or out of order, whichever requests fail', async () => {
    const fates = fc.array(fc.constantFrom<Fate>('written', 'written', 'unanswered', 'refused'), { maxLength: 12 });
    const appends = fc.array(fc.array(fc.nat(1), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fates, appends, async (fates, appends) => {
        const kafka = new KafkaInMemory();
        const queue = queueOn(kafka, { maxBatchBytes: 600, firstWaitMs: 1 });
        kafka.fate = () => fates.shift() ?? 'written';

        const given = appends.map((partitions, i) => partitions.map((partition, j) => to(partition, `${i}.${j}`)));
        const settled = await Promise.all(given.map((records) => queue.append(records)));

        for (const partition of [0, 1]) {
          const wanted = given.flat().filter(({ key }) => text(key) === KEYS[partition]);
          const log = kafka.values(partition);
          expect([...new Set(log)]).toEqual(wanted.map(({ value }) => text(value)));
        }
        for (const [i, appended] of settled.entries()) {
          const found = appended.map(({ partition, offset }) => kafka.values(partition)[Number(offset)]);
          expect(found).toEqual(given[i]!.map(({ value }) => text(value)));
        }
      }),
      { numRuns: 60 },
    );
  });
});
