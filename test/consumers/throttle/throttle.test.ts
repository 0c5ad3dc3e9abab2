import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  backgroundThrottle,
  inSequence,
  liveLagThrottle,
  loadThrottle,
  rateThrottle,
} from '../../../services/consumers/throttle/throttle.ts';

const THRESHOLDS = { high: 0.9, low: 0.8 };
const FULL = 0.95;
const HALF = 0.87;
const LIGHT = 0.7;
/** Its pause would be longer than any test's time. */
const LONG_WORK_MS = 60_000;
const NEVER = new AbortController().signal;

describe('the throttle by load', () => {
  test('the throttle by load does not pause a reader at half load', { timeout: 10_000 }, async () => {
    await loadThrottle(() => HALF, THRESHOLDS)(LONG_WORK_MS, NEVER, 1);
  });

  test('pauses a reader at full load, until the load is below the low threshold', { timeout: 10_000 }, async () => {
    let utilization = FULL;
    let measures = 0;
    let isOver = false;
    const measure = (): number => {
      measures++;
      return utilization;
    };
    const pausing = loadThrottle(measure, THRESHOLDS)(LONG_WORK_MS, NEVER, 1).then(() => (isOver = true));
    await expect.poll(() => measures).toBeGreaterThan(2);
    expect(isOver).toBe(false);

    utilization = HALF;
    await expect.poll(() => measures).toBeGreaterThan(5);
    expect(isOver, 'as much as half load may take, but while the readers pause').toBe(false);

    utilization = LIGHT;

    await pausing;
  });

  test('pauses in proportion to the work, however long the load lasts', { timeout: 10_000 }, async () => {
    await loadThrottle(() => FULL, THRESHOLDS)(10, NEVER, 1);
  });

  test('the throttle by load ends its pause when the reader is stopped', { timeout: 10_000 }, async () => {
    const stop = new AbortController();
    const pausing = loadThrottle(() => FULL, THRESHOLDS)(LONG_WORK_MS, stop.signal, 1);
    stop.abort();

    await pausing;
  });
});

describe('the throttle by live lag', () => {
  test('the throttle by live lag pauses history until live readers have caught up', async () => {
    const lags = [9_000, 5_000, 100];

    await liveLagThrottle({ ms: async () => lags.shift() ?? 0 })(1, NEVER, 1);

    expect(lags).toEqual([]);
  });

  test('live audiences pause for live readers no longer than their own limit', { timeout: 10_000 }, async () => {
    await liveLagThrottle({ ms: async () => 60_000 }, { maxPauseMs: 20 })(LONG_WORK_MS, NEVER, 1);
  });

  test('the throttle by live lag pauses no reader that is stopping, nor any if the lag is unknown', async () => {
    const stop = new AbortController();
    const behind = { ms: async () => 60_000 };
    const unavailable = { ms: () => Promise.reject(new Error('unavailable')) };
    setImmediate(() => stop.abort());

    await liveLagThrottle(behind)(1, stop.signal, 1);
    await liveLagThrottle(unavailable)(1, NEVER, 1);
  });
});

describe('the throttle by rate', () => {
  test('pauses until the records that were read are due', async () => {
    const throttle = rateThrottle(() => 1_000);
    const startedAt = performance.now();

    await throttle(7, NEVER, 60);

    expect(performance.now() - startedAt).toBeGreaterThan(50);
  });

  test.each([
    ['is lifted', null],
    ['is raised', 1_000_000_000],
  ])('the throttle by rate follows a limit that %s for records that were read before', async (_, next) => {
    let calls = 0;
    const throttle = rateThrottle(() => (calls++ === 0 ? 1 : next));

    await throttle(1, NEVER, 1_000_000);

    expect(calls).toBeGreaterThan(1);
  });

  test('the throttle by rate pauses no reader that is stopping', async () => {
    await rateThrottle(() => 1)(1, AbortSignal.abort(), 1_000_000);
  });
});

test('work in the background pauses three times as long as it took', async () => {
  const startedAt = performance.now();

  await backgroundThrottle()(20, NEVER, 0);

  expect(performance.now() - startedAt).toBeGreaterThan(50);
});

test('throttles in sequence are applied one after the other, with the same work', async () => {
  const order: unknown[] = [];
  const named = (name: string) => async (workedMs: number, _: AbortSignal, records: number) => {
    order.push([name, 'begins', workedMs, records]);
    await delay(1);
    order.push([name, 'ends']);
  };

  await inSequence(named('first'), undefined, named('second'))(7, NEVER, 60);

  expect(order).toEqual([
    ['first', 'begins', 7, 60],
    ['first', 'ends'],
    ['second', 'begins', 7, 60],
    ['second', 'ends'],
  ]);
});
