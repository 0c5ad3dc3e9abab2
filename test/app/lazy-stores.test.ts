import { expect, test } from 'vitest';
import { LazyStores } from '../../services/app/lazy-stores.ts';
import type { StoreOpener } from '../../services/app/open-stores.ts';
import type { Database } from '../../services/stores/database/database.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';

class Answering {
  #closings = 0;

  async query(): Promise<readonly unknown[]> {
    return [{ closings: this.#closings }];
  }

  async close(): Promise<void> {
    this.#closings++;
  }
}

function openerOf(database: () => Promise<Database>): Pick<StoreOpener, 'log' | 'codec' | 'database' | 'analytics'> {
  const unused = (): Promise<never> => Promise.reject(new Error('not opened here'));
  return { log: unused, codec: unused, analytics: unused, database };
}

function answering(): Promise<Database> {
  return Promise.resolve(new Answering() as unknown as Database);
}

test('a stand-in rejects until its store is open, and then calls it', async () => {
  const stores = new LazyStores(openerOf(answering), { opensOnCall: false });
  const database = stores.standIns.database;

  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  await expect(stores.all(['database'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(stores.opened('database')).toBeUndefined();
  await stores.open('database');

  expect(await database.query('select 1')).toEqual([{ closings: 0 }]);
  expect(stores.opened('database')).toBeDefined();
});

test('where calls open, the first one does, and one that failed is tried again', async () => {
  let attempts = 0;
  const stores = new LazyStores(
    openerOf(() => {
      attempts++;
      return attempts === 1 ? Promise.reject(new TidemarkError('STORE_UNAVAILABLE', 'not yet')) : answering();
    }),
    { opensOnCall: true },
  );
  const database = stores.standIns.database;

  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await Promise.all([database.query('select 1'), stores.all(['database'])]);

  expect(attempts).toBe(2);
});

test('what is being opened is closed once it is open', async () => {
  const opening = Promise.withResolvers<Database>();
  const stores = new LazyStores(
    openerOf(() => opening.promise),
    { opensOnCall: true },
  );
  const opened = stores.open('database');

  const closing = stores.close();
  opening.resolve(answering());
  await closing;

  expect(await (await opened).query('select 1')).toEqual([{ closings: 1 }]);
});

test('a stand-in is not taken for a promise', async () => {
  const standIn = new LazyStores(openerOf(answering), { opensOnCall: false }).standIns.database;

  expect(await Promise.resolve(standIn)).toBe(standIn);
});
