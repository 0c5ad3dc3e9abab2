import { expect, test } from 'vitest';
import { RateLimiter } from '../../services/http/rate-limiter.ts';

test('a project without a limit is never held back', () => {
  const limiter = new RateLimiter();
  const waits = Array.from({ length: 1_000 }, () => limiter.take(limited('a', null), 0));
  expect(waits.every((wait) => wait === 0)).toBe(true);
});

test('a second holds as many requests as the limit says, and the next one waits for its share of a second', () => {
  const limiter = new RateLimiter();
  const project = limited('a', 4);

  const waits = Array.from({ length: 5 }, () => limiter.take(project, 1_000));

  expect(waits).toEqual([0, 0, 0, 0, 0.25]);
  expect(limiter.take(project, 1_249)).toBeGreaterThan(0);
  expect(limiter.take(project, 1_251)).toBe(0);
});

test('an idle project saves up no more than one second', () => {
  const limiter = new RateLimiter();
  const project = limited('a', 2);
  limiter.take(project, 0);

  const waits = Array.from({ length: 3 }, () => limiter.take(project, 3_600_000));

  expect(waits).toEqual([0, 0, 0.5]);
});

test('over ten seconds of asking without end, as many pass as the limit says', () => {
  const limiter = new RateLimiter();
  let passed = 0;

  for (let atMs = 0; atMs < 10_000; atMs++) if (limiter.take(limited('a', 50), atMs) === 0) passed++;

  expect(passed).toBeGreaterThanOrEqual(50 + 499);
  expect(passed).toBeLessThanOrEqual(50 + 500);
});

test('a limit under one a second lets the first request pass and names the wait', () => {
  const limiter = new RateLimiter();
  const project = limited('a', 0.5);

  expect(limiter.take(project, 0)).toBe(0);
  expect(limiter.take(project, 0)).toBe(2);
});

test('projects do not share', () => {
  const limiter = new RateLimiter();
  limiter.take(limited('a', 1), 0);

  expect(limiter.take(limited('b', 1), 0)).toBe(0);
});

test('a new limit holds from the next request on', () => {
  const limiter = new RateLimiter();
  for (let i = 0; i < 100; i++) limiter.take(limited('a', 100), 0);

  const waits = Array.from({ length: 3 }, () => limiter.take(limited('a', 1), 5_000));

  expect(waits).toEqual([0, 1, 1]);
});

test('a body passes whole, and those behind it wait for what it had too much', () => {
  const limiter = new RateLimiter();
  const project = limited('a', null, 1_000);

  const first = limiter.take(project, 0);
  limiter.charge(project, 5_000, 0);

  expect(first).toBe(0);
  expect(limiter.take(project, 0)).toBeCloseTo(4, 1);
  expect(limiter.take(project, 3_999)).toBeGreaterThan(0);
  expect(limiter.take(project, 4_010)).toBe(0);
});

test('over a minute of bodies without end, as many bytes pass as the limit says', () => {
  const limiter = new RateLimiter();
  const project = limited('a', null, 100_000);
  let bytes = 0;

  for (let atMs = 0; atMs < 60_000; atMs += 10) {
    if (limiter.take(project, atMs) > 0) continue;
    limiter.charge(project, 30_000, atMs);
    bytes += 30_000;
  }

  expect(bytes).toBeGreaterThanOrEqual(60 * 100_000);
  expect(bytes).toBeLessThanOrEqual(61 * 100_000 + 30_000);
});

test('a request that began earlier gives nothing back', () => {
  const limiter = new RateLimiter();
  const project = limited('a', null, 1_000);
  limiter.charge(project, 1_000, 10_000);

  limiter.charge(project, 1, 0);

  expect(limiter.take(project, 10_000)).toBeGreaterThan(0);
});

function limited(id: string, rateLimit: number | null, rateLimitBytes: number | null = null) {
  return { id, rateLimit, rateLimitBytes };
}
