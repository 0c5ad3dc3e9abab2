import { describe, expect, test } from 'vitest';
import { loadThrottle } from '../../../services/consumers/throttle/load-throttle.ts';

const NEED = { high: 0.9, low: 0.8 };
const FULL = 0.95;
const HALF = 0.87;
const BELOW_LOW = 0.7;
/** Its rest would be longer than any test's time. */
const LONG_WORK_MS = 60_000;
const never = new AbortController().signal;

describe('a reader gives way', () => {
  test('not at half load', { timeout: 10_000 }, async () => {
    await loadThrottle(() => HALF, NEED)(LONG_WORK_MS, never, 1);
  });

  test('at full load, until it is over', { timeout: 10_000 }, async () => {
    let utilization = FULL;
    let measures = 0;
    let isOver = false;
    const measure = (): number => {
      measures++;
      return utilization;
    };
    const rest = loadThrottle(measure, NEED)(LONG_WORK_MS, never, 1).then(() => (isOver = true));
    await expect.poll(() => measures).toBeGreaterThan(2);
    expect(isOver).toBe(false);

    utilization = HALF;
    await expect.poll(() => measures).toBeGreaterThan(5);
    expect(isOver, 'as much as half load may take, but with the readers at rest').toBe(false);

    utilization = BELOW_LOW;

    await rest;
  });

  test('in proportion to its work, however long the load lasts', { timeout: 10_000 }, async () => {
    await loadThrottle(() => FULL, NEED)(10, never, 1);
  });

  test('no longer than until it is stopped', { timeout: 10_000 }, async () => {
    const stop = new AbortController();
    const rest = loadThrottle(() => FULL, NEED)(LONG_WORK_MS, stop.signal, 1);
    stop.abort();

    await rest;
  });
});
