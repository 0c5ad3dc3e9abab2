import { expect, test } from 'vitest';
import { migrateDatabase } from '../../services/database/migrate.ts';
import { sharedDatabase } from '../support/database.ts';

const database = sharedDatabase();

test('a database that is up to date is left as it is', async () => {
  expect(await migrateDatabase(database())).toEqual([]);
});

test('what was applied is noted', async () => {
  const rows = await database().query('select number, name from migrations order by number limit 2');

  expect(rows).toEqual([
    { number: 1, name: '001-projects.sql' },
    { number: 2, name: '002-profiles.sql' },
  ]);
});

test('a database that a newer version migrated is refused', async () => {
  await database().query(`insert into migrations values (999, '999-later.sql', '')`);

  await expect(migrateDatabase(database())).rejects.toMatchObject({ code: 'STORE_NEWER' });
});
