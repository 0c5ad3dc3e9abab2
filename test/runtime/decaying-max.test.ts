import { expect, test } from 'vitest';
import { DecayingMax } from '../../services/runtime/decaying-max.ts';

test('a decaying maximum is the largest number seen, and falls with every other', () => {
  const peak = new DecayingMax();
  for (const count of [3, 16, 2]) peak.see(count);
  expect(Math.round(peak.value)).toBe(16);

  for (let i = 0; i < 10_000; i++) peak.see(2);
  expect(Math.round(peak.value)).toBe(6);

  for (let i = 0; i < 100_000; i++) peak.see(2);
  expect(peak.value).toBe(2);
});
