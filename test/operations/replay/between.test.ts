import { expect, test } from 'vitest';
import { between, higher, isPast, lower, namedWithin } from '../../../services/operations/replay/between.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify, recordOf } from '../../support/messages/messages.ts';

const some = new Map([
  ['tidemark.track/0', 5n],
  ['tidemark.track/1', 7n],
]);
const others = new Map([
  ['tidemark.track/1', 9n],
  ['tidemark.identify/0', 2n],
  ['tidemark.track/0', 5n],
]);

test('what lies between two readers is read once, and nothing where they stand together', () => {
  expect(between(some, others)).toEqual([
    { topic: 'tidemark.track', partition: 1, from: 7n, to: 9n },
    { topic: 'tidemark.identify', partition: 0, from: 0n, to: 2n },
  ]);
});

test('of two readers, the lower and the higher, partition by partition', () => {
  expect([...lower(some, others).values()]).toEqual([5n, 7n, 0n]);
  expect([...higher(some, others).values()]).toEqual([5n, 9n, 2n]);
});

test('one is past another only if it is in every partition', () => {
  expect(isPast(others, some)).toBe(true);
  expect(isPast(some, others)).toBe(false);
});

test('who is named there is found; what nobody can read names nobody', async () => {
  const log = new MemoryLog();
  for (const userId of ['ada', 'bob']) {
    log.put('tidemark.identify', 0, recordOf(identify({ projectId: 'p', userId })));
  }
  log.put('tidemark.identify', 0, { key: new Uint8Array(), value: Buffer.from('nonsense') });
  const asked = new Set(['bob', 'ada', 'eve']);
  const ranges = [{ topic: 'tidemark.identify', partition: 0, from: 1n, to: 3n }];

  const named = await namedWithin(
    { log, codec },
    ranges,
    asked,
    ({ userId }) => userId ?? '',
    new AbortController().signal,
  );

  expect([...named]).toEqual(['bob']);
});
