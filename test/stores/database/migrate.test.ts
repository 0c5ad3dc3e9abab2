import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { checkDatabase, migrateDatabase, migrateSchema } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { SqlGenerations } from '../../../services/stores/generations/sql-generations.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../../support/stores/database.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { runProgram } from '../../support/service/program.ts';

const server = await serverUrl('postgres');

describe('on PGlite', () => testMigrations(sharedDatabase()));

describe.skipIf(server === undefined)('on Postgres', () => {
  testMigrations(sharedPostgres(server));

  test('of several processes that migrate at once, each file is applied by one', async () => {
    const { url, drop } = await freshDatabase(server!);
    onTestFinished(drop);

    const migrators = await Promise.all(
      Array.from({ length: 4 }, () => runProgram(['test/support/programs/database-migrator.ts', url])),
    );

    const applied = migrators.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    const database = await openDatabase(url);
    const noted = await database.query<{ name: string }>('select name from migrations order by number');
    await database.close();
    expect(migrators.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(noted.length).toBeGreaterThan(1);
    expect(applied.toSorted()).toEqual(noted.map(({ name }) => name));
  });

  test('who finds another at it for longer than the lock timeout is told to come again', async () => {
    const { url, drop } = await freshDatabase(server!);
    const [first, second] = await Promise.all([openDatabase(url), openDatabase(`${url}?lock_timeout_ms=50`)]);
    onTestFinished(async () => {
      await Promise.all([first.close(), second.close()]);
      await drop();
    });

    await first.transaction(async (transaction) => {
      await transaction.query('select pg_advisory_xact_lock(7418321990)::text');
      await expect(migrateDatabase(second)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    });

    expect(await migrateDatabase(second)).not.toEqual([]);
  });
});

function testMigrations(database: () => Database): void {
  test('a database that is up to date passes where it is only looked at', async () => {
    await checkDatabase(database());
  });

  test('a generation that lacks a migration is not up to date, and looking changes nothing', async () => {
    const { number } = await new SqlGenerations(database()).make({
      kind: 'profiles',
      projectId: null,
      rateLimit: null,
    });
    const schema = `profiles_g${number}`;
    await migrateSchema(database(), schema);
    await checkDatabase(database());
    const [newest] = await database().query<{ number: number }>(
      `delete from ${schema}.migrations where number = (select max(number) from ${schema}.migrations) returning number`,
    );

    const checked = checkDatabase(database());

    await expect(checked).rejects.toMatchObject({
      code: 'STORE_OLDER',
      retryable: true,
      message: expect.stringMatching(`${schema}.*tidemark migrate`),
    });
    const [left] = await database().query(`select max(number) as number from ${schema}.migrations`);
    expect(left).toEqual({ number: (newest?.number ?? 0) - 1 });
    await database().query(`drop schema ${schema} cascade`);
  });

  test('a database that is up to date is left as it is', async () => {
    expect(await migrateDatabase(database())).toEqual([]);
  });

  test('every applied migration is recorded', async () => {
    const rows = await database().query('select number, name from migrations order by number limit 2');

    expect(rows).toEqual([
      { number: 1, name: '001-projects.sql' },
      { number: 2, name: '002-profiles.sql' },
    ]);
  });

  test('a database that a newer version migrated is opened where older programs can go on', async () => {
    await database().query(`insert into migrations values (998, '998-later.compatible.sql', '')`);

    expect(await migrateDatabase(database())).toEqual([]);
  });

  test('a database that a newer version migrated is refused', async () => {
    await database().query(`insert into migrations values (999, '999-later.sql', '')`);

    await expect(migrateDatabase(database())).rejects.toMatchObject({ code: 'STORE_NEWER' });
    await expect(checkDatabase(database())).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });
}
