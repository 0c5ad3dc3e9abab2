/** What each store that shares a disk does once less than its reserve is free: long before the disk is at its end. */
import { mkdir, statfs, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { brokenDefinitions, removeBrokenDefinitions } from '../../services/stores/analytics/chdb/definition-files.ts';
import { ChdbEngine } from '../../services/stores/analytics/chdb/chdb-engine.ts';
import { PgliteDatabase } from '../../services/stores/database/pglite/pglite-database.ts';
import { LOG_RESERVE_BYTES, STORE_RESERVE_BYTES } from '../../services/runtime/free-space.ts';
import { Spool } from '../../services/event-log/spool/spool.ts';
import { record } from '../support/event-log/event-log-records.ts';
import { placeCluster } from '../support/stores/new-stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SmallDisk } from '../torture/disks/small-disk.ts';

const MEBIBYTES = 400;

async function diskWith(name: string): Promise<{ disk: SmallDisk; folder: string }> {
  const disk = await SmallDisk.mount(join(await temporaryFolder(), 'disk'), MEBIBYTES);
  onTestFinished(() => disk.unmount());
  const folder = join(disk.folder, name);
  await mkdir(folder);
  return { disk, folder };
}

/** But for one MiB of it. */
function fillUpTo(disk: SmallDisk, reserveBytes: number): Promise<void> {
  return disk.fill(reserveBytes / 1024 - 1024);
}

test.skipIf(!SmallDisk.canMount)('PGlite refuses to write, answers, and writes again once there is room', async () => {
  const { disk, folder } = await diskWith('profiles');
  await placeCluster(folder);
  const database = await PgliteDatabase.open(folder);
  onTestFinished(() => database.close());
  await database.script('create table t (a int4)');
  await fillUpTo(disk, STORE_RESERVE_BYTES);

  await expect(database.query('insert into t values (1)')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const within = database.transaction((transaction) => transaction.query('insert into t values (2)'));
  await expect(within).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await database.query('select a from t')).toEqual([]);
  await disk.empty();
  await database.query('insert into t values (3)');

  expect(await database.query('select a from t')).toEqual([{ a: 3 }]);
});

/** chDB on a disk of its own. */
async function chdbOnDisk() {
  const { disk, folder } = await diskWith('analytics');
  const store = join(folder, 'store');
  let engine = new ChdbEngine(store);
  onTestFinished(() => engine.close());
  const run = async (sql: string, before = ''): Promise<string> =>
    Buffer.from(await engine.query(before, sql))
      .toString()
      .trim();
  const close = (): Promise<void> => engine.close();
  const open = (): ChdbEngine => (engine = new ChdbEngine(store));
  return { disk, store, engine, run, close, open };
}

test.skipIf(!SmallDisk.canMount)('chDB refuses inserts, answers, and takes them once there is room', async () => {
  const { disk, engine, run } = await chdbOnDisk();
  const insert = async (a: number): Promise<void> => {
    await using file = await engine.rowFile(Readable.from([Buffer.from(`${a}\n`)]));
    await engine.insert('', { into: 'INSERT INTO t (a)', format: 'TSV', file });
  };
  await run('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
  await fillUpTo(disk, STORE_RESERVE_BYTES);

  await expect(insert(1)).rejects.toThrow('NOT_ENOUGH_SPACE');
  expect(await run('SELECT count() FROM t FORMAT TSV')).toBe('0');
  await disk.empty();
  await insert(2);

  expect(await run('SELECT a FROM t FORMAT TSV')).toBe('2');
});

test.skipIf(!SmallDisk.canMount)('chDB refuses definitions on a full disk, and can be opened again', async () => {
  const { disk, run, close, open } = await chdbOnDisk();
  await run('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
  await disk.fill(0);

  // chDB would take it, and write an empty file that it cannot read when it is opened.
  await expect(run('CREATE DATABASE later')).rejects.toThrow('NOT_ENOUGH_SPACE');
  await expect(run('-- By hand.\nCREATE VIEW v AS SELECT 1')).rejects.toThrow('NOT_ENOUGH_SPACE');
  await expect(run('ALTER TABLE t ADD COLUMN b UInt64')).rejects.toThrow('NOT_ENOUGH_SPACE');
  await disk.empty();
  await close();
  const again = open();

  const tables = await again.query('', "SELECT name FROM system.tables WHERE database = 'default' FORMAT TSV");
  expect(Buffer.from(tables).toString()).toBe('t\n');
});

describe.skipIf(!SmallDisk.canMount)('a disk that fills up during a definition of chDB', () => {
  const TABLE = '(a UInt64) ENGINE = MergeTree ORDER BY a';

  async function scene() {
    const { disk, run, ...chdb } = await chdbOnDisk();
    // The disk is looked at before, and fills up while chDB sleeps.
    const fillDuring = async (sql: string): Promise<string> => {
      const answer = run(sql, 'SELECT sleep(1) FORMAT Null; ').catch(String);
      await delay(300);
      await disk.fill(0);
      return answer;
    };
    await run('CREATE DATABASE d');
    await run(`CREATE TABLE d.kept ${TABLE}`);
    await run('INSERT INTO d.kept VALUES (1)');
    return { ...chdb, disk, run, fillDuring };
  }

  test.each([
    'CREATE DATABASE IF NOT EXISTS later',
    `CREATE TABLE IF NOT EXISTS d.later ${TABLE}`,
    'CREATE VIEW d.v AS SELECT 1',
  ])('%s fails, and can be repeated', async (sql) => {
    const { disk, run, fillDuring, close, open } = await scene();

    expect(await fillDuring(sql)).toContain('NOT_ENOUGH_SPACE');
    await disk.empty();
    await run(sql);
    await close();
    open();

    expect(await run('SELECT a FROM d.kept FORMAT TSV')).toBe('1');
    const known = "SELECT name FROM system.tables WHERE database = 'd' UNION ALL SELECT name FROM system.databases";
    expect(await run(`SELECT count() FROM (${known}) WHERE name IN ('later', 'v') FORMAT TSV`)).toBe('1');
  });

  // In a comment's place the engine takes it for none: as if the process had been killed before it looked.
  test('what was being defined when the process was killed is not there when chDB is opened again', async () => {
    const { disk, run, close, open } = await scene();
    await disk.fill(0);
    for (const sql of ['CREATE DATABASE later', `CREATE TABLE d.later ${TABLE}`]) await run(`/* */ ${sql}`);
    await close();

    open();

    expect(await run("SELECT name FROM system.tables WHERE database = 'd' FORMAT TSV")).toBe('kept');
    await disk.empty();
    await run(`CREATE TABLE d.later ${TABLE}`);
    expect(await run('SELECT a FROM d.kept FORMAT TSV')).toBe('1');
  });

  test('a definition that is dropped while it is looked at does not count as unwritten', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'metadata/d'), { recursive: true });
    await symlink(join(folder, 'gone'), join(folder, 'metadata/d/dropped.sql'));
    await symlink(join(folder, 'gone'), join(folder, 'metadata/dropped'));

    expect(brokenDefinitions(folder)).toEqual([]);
  });

  test('the definition of a table with rows is not removed', async () => {
    const { fillDuring, disk, store, run, close } = await scene();

    expect(await fillDuring('ALTER TABLE d.kept ADD COLUMN b UInt64')).toContain('NOT_ENOUGH_SPACE');
    await disk.empty();
    expect(await run('SELECT a FROM d.kept FORMAT TSV')).toBe('1');
    await close();
    removeBrokenDefinitions(store);

    expect(brokenDefinitions(store)).toMatchObject([{ database: 'd', table: 'kept' }]);
  });
});

test.skipIf(!SmallDisk.canMount)('the spool refuses, leaves the reserve alone, and takes again', async () => {
  const { disk, folder } = await diskWith('spool');
  const spool = await Spool.open({ folder, maxBytes: 2 ** 30 });
  onTestFinished(() => spool.close());
  await fillUpTo(disk, LOG_RESERVE_BYTES);

  await expect(spool.append([record('t', 'key', 'value')])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  await expect(spool.check()).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  const { bavail, bsize } = await statfs(folder);
  expect(bavail * bsize).toBeGreaterThan(LOG_RESERVE_BYTES - 2 * 2 ** 20);
  await disk.empty();
  await spool.check();

  await expect(spool.append([record('t', 'key', 'value')])).resolves.toBeUndefined();
});
