import { expect, test } from 'vitest';
import { rateThrottle } from '../../../services/consumers/throttle/rate-throttle.ts';

const NEVER = new AbortController().signal;

test('a reader with a limit waits until what it read was due, and then makes way for others', async () => {
  const order: number[] = [];
  const way = rateThrottle(
    () => 1_000,
    async (workedMs, _, records) => void order.push(workedMs, records),
  );
  const startedAt = performance.now();

  await way(7, NEVER, 60);

  expect(performance.now() - startedAt).toBeGreaterThan(50);
  expect(order).toEqual([7, 60]);
});

test('a limit that is lifted is waited for no longer', async () => {
  let asked = 0;
  const way = rateThrottle(
    () => (asked++ === 0 ? 1 : null),
    async () => undefined,
  );

  await way(1, NEVER, 1_000_000);

  expect(asked).toBeGreaterThan(1);
});

test('a limit that is raised holds for what was read under the one before', async () => {
  let asked = 0;
  const way = rateThrottle(
    () => (asked++ === 0 ? 1 : 1_000_000_000),
    async () => undefined,
  );

  await way(1, NEVER, 1_000_000);

  expect(asked).toBeGreaterThan(1);
});

test('one that is to stop waits for nothing', async () => {
  const way = rateThrottle(
    () => 1,
    async () => undefined,
  );

  await way(1, AbortSignal.abort(), 1_000_000);
});
