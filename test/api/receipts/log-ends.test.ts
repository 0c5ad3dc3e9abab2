import { expect, test } from 'vitest';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { LogEnds } from '../../../services/api/receipts/log-ends.ts';

const TOPIC = 'tidemark.track';
type Answer = Awaited<ReturnType<EventLog['ends']>>;

/** A log that answers when told to. */
function asked() {
  const answers: PromiseWithResolvers<Answer>[] = [];
  const ends = (): Promise<Answer> => {
    answers.push(Promise.withResolvers<Answer>());
    return answers.at(-1)!.promise;
  };
  return { answers, ends: new LogEnds({ ends }) };
}

function endAt(offset: bigint): Answer {
  return [
    { topic: TOPIC, partition: 0, offset },
    { topic: TOPIC, partition: 1, offset: 0n },
  ];
}

test('the log is asked once at a time, and nobody is told of a time before they asked', async () => {
  const { answers, ends } = asked();
  const first = ends.now();
  const others = Array.from({ length: 1_000 }, () => ends.now());
  expect(answers.length).toBe(1);

  answers[0]!.resolve(endAt(5n));
  expect((await first).ofTopic(TOPIC)).toEqual(endAt(5n));
  expect(answers.length).toBe(2);
  answers[1]!.resolve(endAt(6n));

  for (const answer of await Promise.all(others)) expect(answer.ofTopic(TOPIC)).toEqual(endAt(6n));
  expect(answers.length).toBe(2);
});

test('a log that is unreachable is asked anew for who came meanwhile', async () => {
  const { answers, ends } = asked();
  const first = ends.now();
  const second = ends.now();

  answers[0]!.reject(new Error('unreachable, as ordered'));
  await expect(first).rejects.toThrow('as ordered');
  answers[1]!.resolve(endAt(6n));

  expect((await second).ofTopic(TOPIC)).toEqual(endAt(6n));
});

test('a place is within the log where its partition is there and is as long', async () => {
  const { answers, ends } = asked();
  const now = ends.now();
  answers[0]!.resolve(endAt(5n));

  const reached = [0, 1, 2].map(async (partition) => (await now).contains({ topic: TOPIC, partition, offset: 5n }));

  expect(await Promise.all(reached)).toEqual([true, false, false]);
  expect((await now).contains({ topic: TOPIC, partition: 0, offset: 6n })).toBe(false);
  expect((await now).contains({ topic: 'tidemark.identify', partition: 0, offset: 1n })).toBe(false);
  expect((await now).ofTopic('tidemark.identify')).toEqual([]);
});
