import { expect, test } from 'vitest';
import { Deferred } from '../../services/app/deferred-stores.ts';

class Counter {
  #count = 0;

  async add(by: number): Promise<number> {
    this.#count += by;
    return this.#count;
  }
}

test('a stand-in rejects until its object is open, and then calls it', async () => {
  const deferred = new Deferred<Counter>('the counter', 'STORE_UNAVAILABLE');
  const { standIn } = deferred;

  await expect(standIn.add(1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  expect(deferred.opened).toBeUndefined();
  deferred.set(new Counter());

  expect(await standIn.add(1)).toBe(1);
  expect(await standIn.add(2)).toBe(3);
});

test('a stand-in is not taken for a promise', async () => {
  const { standIn } = new Deferred<Counter>('the counter', 'STORE_UNAVAILABLE');

  expect(await Promise.resolve(standIn)).toBe(standIn);
});
