import { expect, test } from 'vitest';
import { diagnose } from '../../../services/operations/status/diagnosis.ts';

test('a section that fails, or hangs for three seconds, is null, and the others are there', async () => {
  const { promise, resolve } = Promise.withResolvers<never[]>();

  const found = await diagnose({
    hanging: () => promise,
    failing: () => Promise.reject(new Error('as ordered')),
    empty: async () => [],
    there: async () => [
      { name: 'fsync', value: 'on' },
      { name: 'jobs', value: 2n },
    ],
  });

  expect(found).toEqual({ hanging: null, failing: null, empty: {}, there: { fsync: 'on', jobs: '2' } });
  resolve([]);
});
