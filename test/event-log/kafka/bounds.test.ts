import { describe, expect, test } from 'vitest';
import type { LogCoordinates, TopicPartition } from '../../../services/event-log/event-log.ts';
import { deleteBefore } from '../../../services/event-log/kafka/bounds.ts';
import { KAFKA } from '../../../services/event-log/kafka/faults.ts';
import { Leaders } from '../../../services/event-log/kafka/leaders.ts';
import type { KafkaWire, Outcome } from '../../../services/event-log/kafka/wire.ts';

const NOT_LEADER = 6;

/** Brokers 1 and 2 lead partitions 0 and 1 of a topic, each with ten records. @param errorOf For a try of a partition. */
async function twoBrokers(errorOf: (attempt: number, at: TopicPartition) => number | undefined) {
  const requests: { readonly broker: number; readonly before: readonly LogCoordinates[] }[] = [];
  const wire = {
    cluster: async () => ({
      brokers: [1, 2],
      topics: new Map([['t', [1, 2].map((leader) => ({ leader, replicas: 1 }))]]),
    }),
    offsets: async (_: number, of: readonly TopicPartition[]) => of.map((one) => ({ ...one, error: 0, offset: 10n })),
    deleteRecords: async (broker: number, before: readonly LogCoordinates[]): Promise<readonly Outcome[]> => {
      const attempt = requests.filter((one) => one.broker === broker).length;
      requests.push({ broker, before });
      return before.flatMap(({ topic, partition }) => {
        const error = errorOf(attempt, { topic, partition });
        return error === undefined ? [] : [{ topic, partition, error }];
      });
    },
  } as Partial<KafkaWire> as KafkaWire;
  const leaders = new Leaders(wire, ['t']);
  await leaders.refresh();
  const cut = (offsets: readonly bigint[], timeoutMs = 0) => {
    const before = offsets.map((offset, partition) => ({ topic: 't', partition, offset }));
    return deleteBefore(wire, leaders, before, timeoutMs);
  };
  return { requests, cut };
}

describe('deleting records of Kafka', () => {
  test('each leader is asked for its partitions, up to their ends at most', async () => {
    const { requests, cut } = await twoBrokers(() => 0);

    await cut([4n, 50n]);

    expect(requests).toEqual([
      { broker: 1, before: [{ topic: 't', partition: 0, offset: 4n }] },
      { broker: 2, before: [{ topic: 't', partition: 1, offset: 10n }] },
    ]);
  });

  test.each([
    ['answers that another one leads', NOT_LEADER],
    ['leaves out the partition', undefined],
    ['answers that a replica is too slow', KAFKA.REQUEST_TIMED_OUT],
  ])('all are asked again where a broker %s', async (_, error) => {
    const { requests, cut } = await twoBrokers((attempt, { partition }) =>
      attempt === 0 && partition === 1 ? error : 0,
    );

    await cut([4n, 5n]);

    expect(requests.map(({ broker }) => broker)).toEqual([1, 2, 1, 2]);
  });

  test('what lasts is thrown, with the partition and the code', async () => {
    const { cut } = await twoBrokers((_, { partition }) => (partition === 1 ? NOT_LEADER : 0));

    await expect(cut([4n, 5n])).rejects.toMatchObject({ code: NOT_LEADER, message: expect.stringContaining('t/1') });
  });

  test('a refusal is thrown at once', async () => {
    const { requests, cut } = await twoBrokers(() => KAFKA.TOPIC_AUTHORIZATION_FAILED);

    await expect(cut([4n], 60_000)).rejects.toMatchObject({ code: KAFKA.TOPIC_AUTHORIZATION_FAILED });
    expect(requests).toHaveLength(1);
  });
});
