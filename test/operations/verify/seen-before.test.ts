import { expect, test } from 'vitest';
import { SeenBefore } from '../../../services/operations/verify/seen-before.ts';

test('what was said is known, as long as no more than its capacity came after', () => {
  const seen = new SeenBefore(1_000);
  const names = Array.from({ length: 5_000 }, (_, index) => `message ${index}`);

  const firstTime = names.map((name) => seen.add(name));
  const again = names.slice(-1_000).map((name) => seen.add(name));

  expect(firstTime.filter(Boolean)).toEqual([]);
  expect(again.every(Boolean)).toBe(true);
});

test('what is older than twice its capacity is forgotten', () => {
  const seen = new SeenBefore(10);
  seen.add('first');
  for (let index = 0; index < 21; index++) seen.add(`message ${index}`);

  expect(seen.add('first')).toBe(false);
});
