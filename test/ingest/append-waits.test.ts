import { expect, test } from 'vitest';
import { AppendWaits } from '../../services/ingest/append-waits.ts';

const SMALL_BODY = 200;
const LARGE_BODY = 50_000;

/** One look, after appends of these durations. */
function lookAfter(waits: AppendWaits, tookMs: readonly number[], commitMs = 0.1): number {
  for (const ms of tookMs) waits.see(SMALL_BODY, ms, commitMs);
  return waits.look();
}

test('there is a line while even the shortest append waits, however long the others do', () => {
  const waits = new AppendWaits();

  expect(lookAfter(waits, [0.4, 0.9])).toBeLessThan(1);
  expect(lookAfter(waits, [0.5, 40, 300])).toBeLessThan(1.1);
  expect(lookAfter(waits, [2, 40, 300])).toBeGreaterThan(3);
  expect(lookAfter(waits, [0.5])).toBeLessThan(1.1);
});

test('a disk that becomes slow is no line', () => {
  const waits = new AppendWaits();
  lookAfter(waits, [0.4]);

  expect(lookAfter(waits, [39, 58], 20)).toBeLessThan(1);
});

test('there is no line where only large bodies were appended, or nothing was', () => {
  const waits = new AppendWaits();
  lookAfter(waits, [0.4]);

  waits.see(LARGE_BODY, 50, 0.1);

  expect(waits.look()).toBe(0);
});

test('what appends took on a machine that was faster is forgotten within hours', () => {
  const waits = new AppendWaits();
  lookAfter(waits, [0.2]);
  let looks = 0;

  while (lookAfter(waits, [1]) > 1.4 && looks < 100_000) looks++;

  expect(looks).toBeGreaterThan(9_000);
  expect(looks).toBeLessThan(30_000);
});
