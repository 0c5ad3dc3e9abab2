import { expect, test } from 'vitest';
import { AppendPacer } from '../../../services/operations/import/append-pacer.ts';

/** Appends for `forMs`, on a clock of its own; `takes` says how many ms an append of records takes. */
async function run(takes: (records: number, nowMs: number) => number, forMs: number, rate?: number) {
  const clock = { ms: 0 };
  const pacer = new AppendPacer({ rate, nowMs: () => clock.ms, sleep: async (ms) => void (clock.ms += ms) });
  const appends: { atMs: number; records: number; tookMs: number }[] = [];
  while (clock.ms < forMs) {
    await pacer.rest();
    const { records } = pacer;
    const tookMs = takes(records, clock.ms);
    appends.push({ atMs: clock.ms, records, tookMs });
    clock.ms += tookMs;
    pacer.observe(records, tookMs);
  }
  return appends;
}

function sumOf(appends: readonly { records: number; tookMs: number }[]) {
  return {
    records: appends.reduce((sum, { records }) => sum + records, 0),
    tookMs: appends.reduce((sum, { tookMs }) => sum + tookMs, 0),
  };
}

test('an append comes to take about twice what the smallest takes alone, and the log is ours half the time at most', async () => {
  const appends = await run((records) => 2 + records / 100, 20_000);

  const late = appends.filter(({ atMs }) => atMs > 5_000);
  expect(Math.max(...late.map(({ tookMs }) => tookMs))).toBeLessThan(2 * 2.2 * 1.5);
  expect(Math.max(...late.map(({ records }) => records))).toBeGreaterThan(150);
  expect(sumOf(appends).tookMs).toBeLessThanOrEqual(20_000 / 2 + 10);
});

test('where appends take longer all at once, the next are smaller and rarer, until that is over', async () => {
  const isSlow = (ms: number): boolean => ms > 5_000 && ms < 6_500;
  const appends = await run((records, ms) => (isSlow(ms) ? 50 : 1) + records / 100, 15_000);

  const slow = sumOf(appends.filter(({ atMs }) => isSlow(atMs) && atMs > 5_500));
  const after = sumOf(appends.filter(({ atMs }) => atMs > 12_000));
  expect(slow.tookMs).toBeLessThan(600);
  expect(slow.records).toBeLessThan(800);
  expect(after.records / 3).toBeGreaterThan(10_000);
});

test('the rate does not decline steadily where appends vary in length', async () => {
  let n = 0;
  const appends = await run((records) => (n++ % 4 === 0 ? 12 : 2) + records / 200, 20_000);

  expect(sumOf(appends.filter(({ atMs }) => atMs > 10_000)).records / 10).toBeGreaterThan(5_000);
});

test.each([1, 30, 5_000])('never more than %i records a second where that is the rate', async (rate) => {
  const appends = await run(() => 1, 20_000, rate);

  const { records } = sumOf(appends);
  expect(records).toBeLessThanOrEqual(rate * 20 * 1.01 + 1);
  expect(records).toBeGreaterThan(rate * 20 * 0.9 - 1);
});
