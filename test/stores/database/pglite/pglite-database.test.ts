import fs, { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { migrateDatabase } from '../../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../../services/stores/database/open.ts';
import { maintain } from '../../../../services/stores/database/pglite/maintenance.ts';
import { testDatabase } from '../../../contract/database.ts';
import { openEmptyDatabase, placeCluster } from '../../../support/stores/new-stores.ts';
import { startProgram } from '../../../support/service/program.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

testDatabase('PgliteDatabase', openEmptyDatabase);

test('what was committed is there after the process is killed', async () => {
  const folder = await folderWithCluster();
  const program = startProgram(['test/support/programs/database-holder.ts', folder]);
  expect(await program.line()).toBe('committed');

  await program.kill();

  const database = await openDatabase(`pglite:${folder}`);
  expect(await database.query('select id from kept')).toEqual([{ id: 1 }]);
  await database.close();
});

test('a second process on the same folder is refused', async () => {
  const folder = await folderWithCluster();
  const program = startProgram(['test/support/programs/database-holder.ts', folder]);
  expect(await program.line()).toBe('committed');

  await expect(openDatabase(`pglite:${folder}`)).rejects.toMatchObject({ code: 'FOLDER_IN_USE' });
});

test('a commit is flushed to the disk before it is answered', async () => {
  const database = await openDatabase(`pglite:${await folderWithCluster()}`);
  await database.script('create table t (id int4)');
  const fsync = vi.spyOn(fs, 'fsyncSync');
  syncBuiltinESMExports();
  try {
    await database.query('insert into t values (1)');

    expect(fsync).toHaveBeenCalledOnce();
  } finally {
    fsync.mockRestore();
    syncBuiltinESMExports();
    await database.close();
  }
});

test('an engine that broke down is started anew and holds what was committed', async () => {
  const database = await openDatabase(`pglite:${await folderWithCluster()}`);
  await database.script('create table t (id int4); insert into t values (1)');
  const fsync = vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  try {
    const attempt = database.transaction((transaction) => transaction.query('insert into t values (2)'));

    await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  } finally {
    fsync.mockRestore();
    syncBuiltinESMExports();
  }
  expect(await database.query('select id from t where id = 1')).toEqual([{ id: 1 }]);
  await database.query('insert into t values (3)');
  await database.close();
});

test('a first start that was cut short begins anew', async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'cluster.new'));
  writeFileSync(join(folder, 'cluster.new', 'PG_VERSION'), '18\n');

  const database = await openDatabase(`pglite:${folder}`);

  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  expect(existsSync(join(folder, 'cluster.new'))).toBe(false);
  await database.close();
});

test("another version's cluster is refused, and its folder is free again", async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'cluster'));
  writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '17\n');

  await expect(openDatabase(`pglite:${folder}`)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(openDatabase(`pglite:${folder}`)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a cluster that does not start says so', async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'cluster'));
  writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '18\n');

  await expect(openDatabase(`pglite:${folder}`)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});

test('maintenance keeps the write-ahead log and a rewritten table from growing', { timeout: 180_000 }, async () => {
  const folder = await folderWithCluster();
  const database = await openDatabase(`pglite:${folder}`);
  await database.script('create table t (id int4 primary key, v text)');
  for (let round = 0; round < 10; round++) await database.query(REWRITE, [round]);
  await expect.poll(() => deadRows(database), { timeout: 100_000 }).toBeGreaterThan(10_000);

  // Postgres tells the last rounds' dead rows up to a second late, on a slow machine after the vacuum: then it is due again.
  const maintained = async (): Promise<number> => {
    await maintain((sql) => database.query(sql));
    return deadRows(database);
  };
  await expect.poll(maintained, { timeout: 60_000 }).toBeLessThan(6_001);

  const [wal] = await database.query(
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::int4 as bytes from pg_control_checkpoint()',
  );
  expect(wal?.['bytes']).toBeLessThan(8 * 1024 * 1024);
  expect(readdirSync(join(folder, 'cluster', 'pg_wal')).length).toBeLessThan(24);
  await database.close();
});

test('maintenance makes what a table that only grows is looked up by', { timeout: 180_000 }, async () => {
  const database = await openDatabase(`pglite:${await folderWithCluster()}`);
  await migrateDatabase(database);
  await database.query(
    `insert into applied
     select 'sink', gen_random_uuid(), 0, place, 1000000 + place from generate_series(1, 60000) as place`,
  );

  // Postgres tells of new rows up to a second late.
  await expect.poll(() => insertedSince(database, 'applied'), { timeout: 100_000 }).toBe(60_000);
  await maintain((sql) => database.query(sql));
  await expect.poll(() => insertedSince(database, 'applied'), { timeout: 60_000 }).toBe(0);

  const plan = await database.query('explain select ctid from applied where applied_at_ms <= 1000 limit 10');
  expect(JSON.stringify(plan)).toContain('applied_by_time');
  await database.close();
});

test('a scheme that nothing serves is refused', async () => {
  await expect(openDatabase('mysql://root@localhost/db')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

async function folderWithCluster(): Promise<string> {
  const folder = await temporaryFolder();
  await placeCluster(folder);
  return folder;
}

const REWRITE = `
  insert into t select id, repeat(md5((id * $1::int4)::text), 20) from generate_series(1, 5000) as id
  on conflict (id) do update set v = excluded.v`;

function insertedSince(database: Opened, table: string): Promise<number> {
  return statisticOf(database, table, 'n_ins_since_vacuum');
}

function deadRows(database: Opened): Promise<number> {
  return statisticOf(database, 't', 'n_dead_tup');
}

type Opened = Awaited<ReturnType<typeof openDatabase>>;

async function statisticOf(database: Opened, table: string, column: string): Promise<number> {
  const sql = `select ${column} as rows from pg_stat_user_tables where relname = $1`;
  const [row] = await database.query(sql, [table]);
  return Number(row?.['rows'] ?? 0);
}
