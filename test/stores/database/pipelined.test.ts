import { expect, test } from 'vitest';
import { pipelined } from '../../../services/stores/database/pipelined.ts';

test('the next is asked for before the one before is answered, and no more than that', async () => {
  const [asked, answered] = [deferred(4), [] as number[]];
  let begun = 0;
  const statements = asked.map(({ promise }, index) => () => {
    begun++;
    return promise.then(() => void answered.push(index));
  });

  const all = pipelined(statements);
  const beganWith: number[] = [];
  for (const { resolve } of asked) {
    await turn();
    beganWith.push(begun);
    resolve();
  }
  await all;

  expect(beganWith).toEqual([2, 3, 4, 4]);
  expect(answered).toEqual([0, 1, 2, 3]);
});

test('the first failure is told, after which nothing more is asked for', async () => {
  const asked = deferred(3);
  const begun: number[] = [];
  const statements = asked.map(({ promise }, index) => () => {
    begun.push(index);
    return promise;
  });

  const all = pipelined(statements);
  await turn();
  asked[1]?.reject(new Error('failed with the transaction'));
  asked[0]?.reject(new Error('the first'));

  await expect(all).rejects.toThrow('the first');
  expect(begun).toEqual([0, 1]);
});

function deferred(count: number): PromiseWithResolvers<void>[] {
  return Array.from({ length: count }, () => Promise.withResolvers<void>());
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
