import { describe, expect, test } from 'vitest';
import { EXPIRING_SETTINGS, longestKeptMs, newTopics, problemsOf } from '../../../services/event-log/kafka/topics.ts';

const good = new Map([
  ['cleanup.policy', 'delete'],
  ['retention.ms', '-1'],
  ['retention.bytes', '-1'],
  ['message.timestamp.type', 'LogAppendTime'],
  ['unclean.leader.election.enable', 'false'],
  ['min.insync.replicas', '2'],
]);
const three = Array.from({ length: 4 }, () => ({ leader: 1, replicas: 3 }));

describe('a topic of Kafka', () => {
  test('a topic with our settings has no problems', () => {
    expect(problemsOf('t', three, good, { partitions: 4 })).toEqual([]);
    expect(problemsOf('t', three, good, { partitions: undefined })).toEqual([]);
  });

  test.each([
    ['cleanup.policy', 'compact', 'delete'],
    ['cleanup.policy', 'compact,delete', 'delete'],
    ['retention.ms', '604800000', '-1'],
    ['retention.bytes', '1073741824', '-1'],
    ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
    ['unclean.leader.election.enable', 'true', 'false'],
    ['min.insync.replicas', '1', '2'],
    ['min.insync.replicas', '4', '3 at most'],
  ])('the setting %s of %s is reported as a problem of the topic', (setting, found, wanted) => {
    const problems = problemsOf('my-topic', three, new Map([...good, [setting, found]]), { partitions: 4 });

    expect(problems).toEqual([`topic my-topic: ${setting} is ${found}, wanted ${wanted}`]);
  });

  test.each([
    ['604800000', '-2'],
    ['-2', '10737418240'],
    ['1', '1'],
  ])(
    'tiered storage that keeps %s ms or %s bytes at the brokers is accepted, unless the whole expires',
    (ms, bytes) => {
      const tiered = new Map([...good, ['remote.storage.enable', 'true'], ['local.retention.ms', ms]]);
      tiered.set('local.retention.bytes', bytes);

      expect(problemsOf('t', three, tiered, { partitions: 4 })).toEqual([]);
      for (const setting of ['retention.ms', 'retention.bytes'])
        expect(problemsOf('t', three, new Map([...tiered, [setting, '604800000']]), { partitions: 4 })).toEqual([
          `topic t: ${setting} is 604800000, wanted -1`,
        ]);
    },
  );

  test('a topic with another number of partitions is refused, and every problem is named', () => {
    const problems = problemsOf('t', three, new Map([...good, ['retention.ms', '1']]), { partitions: 6 });

    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('4, wanted 6');
  });

  test('a topic with one replica needs only itself in sync', () => {
    const one = [{ leader: 1, replicas: 1 }];

    expect(problemsOf('t', one, new Map([...good, ['min.insync.replicas', '1']]), { partitions: 1 })).toEqual([]);
    expect(problemsOf('t', one, good, { partitions: 1 })).toHaveLength(1);
  });

  test.each([
    [3, undefined, 3, '2'],
    [5, undefined, 3, '2'],
    [2, undefined, 1, '1'],
    [1, undefined, 1, '1'],
    [3, 2, 2, '2'],
  ])('on %d brokers, told %s copies, gets %d of which %s are in sync', (brokers, replicas, copies, inSync) => {
    const cluster = { brokers: Array.from({ length: brokers }, (_, i) => i), topics: new Map() };

    const [topic] = newTopics(['t'], cluster, { topics: ['t'], partitions: undefined, replicas, create: true });

    expect(topic).toMatchObject({ topic: 't', partitions: 4, replicas: copies });
    expect(topic!.configs.get('min.insync.replicas')).toBe(inSync);
  });

  test('a new topic gets as many partitions as requested, or as the others have', () => {
    const cluster = { brokers: [1], topics: new Map([['other', three.slice(0, 2)]]) };
    const wanted = { topics: ['t', 'other'], replicas: undefined, create: true };

    const made = [7, undefined].map((partitions) => newTopics(['t'], cluster, { ...wanted, partitions }));

    expect(made.map(([topic]) => topic!.partitions)).toEqual([7, 2]);
  });

  test('a topic that expires is created so that no record stays longer than eight days', () => {
    const cluster = { brokers: [1], topics: new Map() };
    const wanted = { topics: ['t'], partitions: 4, replicas: 3, create: true, settings: EXPIRING_SETTINGS };

    const [made] = newTopics(['t'], cluster, wanted);

    expect(longestKeptMs('t', new Map([['t', made!.configs]]))).toBe(8 * 86_400_000);
    expect(problemsOf('t', three, made!.configs, wanted)).toEqual([]);
    expect(problemsOf('t', three, good, wanted)).toEqual(['topic t: retention.ms is -1, wanted 604800000']);
  });

  test.each([
    ['retention.ms', '-1'],
    ['cleanup.policy', 'compact'],
  ])('a topic whose %s is %s keeps its records for ever, and one that is not there keeps none', (setting, value) => {
    const configs = new Map([...good, ['retention.ms', '1000'], ['segment.ms', '500'], [setting, value]]);

    expect(longestKeptMs('t', new Map([['t', configs]]))).toBeNull();
    expect(longestKeptMs('other', new Map([['t', configs]]))).toBeUndefined();
  });
});
