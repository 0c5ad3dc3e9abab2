import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnKey, columnPath } from '../../../services/stores/analytics/json-path.ts';

test.each([
  [['a', 'b'], 'a.b'],
  [['a.b'], 'a%2Eb'],
  [['a%2Eb'], 'a%252Eb'],
  [['50%'], '50%'],
  [['', ''], '.'],
])('the path of %j is %s', (keys, path) => {
  expect(columnPath(keys)).toBe(path);
});

test('no two paths are one', () => {
  const key = fc.string({ unit: fc.constantFrom('.', '%', '2', '5', 'E', 'a'), maxLength: 8 });
  const path = fc.array(key, { minLength: 1, maxLength: 3 });

  fc.assert(
    fc.property(path, path, (one, another) => {
      expect(columnPath(one) === columnPath(another)).toBe(JSON.stringify(one) === JSON.stringify(another));
    }),
    { numRuns: 20_000 },
  );
});

test('an ordinary key is left as it is', () => {
  expect(columnKey('total.price 20%')).toBe('total.price 20%');
});
