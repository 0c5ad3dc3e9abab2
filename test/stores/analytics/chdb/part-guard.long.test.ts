import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ChdbEngine } from '../../../../services/stores/analytics/chdb/chdb-engine.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { SmallDisk } from '../../../torture/disks/small-disk.ts';

const MEBIBYTES = 3_000;
const INSERTS = 5;
const ROWS_AN_INSERT = 300_000;
const ROWS = INSERTS * ROWS_AN_INSERT;
/** One part of some 85 MB. */
const ROWS_AT_ONCE = 3_000_000;
/** A merge writes some 40 MB, an insert twice that: they get less. */
const LEFT_KIBIBYTES = 3_000;

async function makeScene() {
  const folder = await temporaryFolder();
  const disk = await SmallDisk.mount(join(folder, 'disk'), MEBIBYTES);
  const engine = new ChdbEngine(join(folder, 'disk/store'));
  onTestFinished(async () => {
    await engine.close();
    await disk.unmount();
  });
  const run = async (sql: string): Promise<string> =>
    Buffer.from(await engine.query('', sql))
      .toString()
      .trim();
  const isBroken = async (): Promise<boolean> =>
    (await run('SELECT count() FROM system.detached_parts FORMAT TSV')) !== '0';
  const insert = (table: string, from: number, rows = ROWS_AN_INSERT): Promise<string> =>
    run(`INSERT INTO ${table} SELECT number + ${from}, toString(rand64()) || toString(rand64())
         FROM numbers(${rows}) SETTINGS max_insert_block_size = 10000000, min_insert_block_size_rows = 10000000`);
  const make = (table: string): Promise<string> =>
    run(`CREATE TABLE ${table} (a UInt64, b String) ENGINE = ReplacingMergeTree ORDER BY a`);
  const count = (table: string): Promise<string> =>
    run(`SELECT count(), countIf(length(b) > 0) FROM ${table} FORMAT TSV`);
  const mergedOf = async (table: string): Promise<number> =>
    Number(await run(`SELECT max(progress) FROM system.merges WHERE table = '${table}' FORMAT TSV`));
  return { disk, run, make, insert, count, isBroken, mergedOf };
}

// Shares of the merge at which the disk fills up. At some of these what is left suffices for the rest, or the merge is past
// it before it is seen; at others, where the machine is busy, the guard stops the merge before it comes to its end.
const SHARES_MERGED = [0.3, 0.6, 0.8, 0.1, 0.9, 0.5, 0.7, 0.01, 0.85, 0.4, 0.95, 0.2, 0.75, 0.9, 0.05, 0.6, 0.8, 0.3];
// After an insert was begun; it takes longer on a busy machine.
const MOMENTS_MS = [60, 120, 30, 200, 300, 15, 400, 90];

test.skipIf(!SmallDisk.canMount)(
  'a merge that the disk fills up under loses no row',
  { timeout: 180_000 },
  async () => {
    const { disk, run, make, insert, count, isBroken, mergedOf } = await makeScene();
    for (const [attempt, share] of SHARES_MERGED.entries()) {
      const table = `t${attempt}`;
      await make(table);
      await run(`SYSTEM STOP MERGES ${table}`);
      for (let made = 0; made < INSERTS; made++) await insert(table, made * ROWS_AN_INSERT);
      await run(`SYSTEM START MERGES ${table}`);
      const merged = run(`OPTIMIZE TABLE ${table} FINAL`).then(
        () => true,
        () => true,
      );
      while (!(await Promise.race([merged, delay(1)])) && (await mergedOf(table)) < share);
      await disk.fill(LEFT_KIBIBYTES);
      await merged;
      // As long as the guard takes to look, stop what merges and load the table anew.
      await delay(1_500);
      // While it is loaded anew, queries fail as if it did not exist.
      await expect.poll(() => count(table).catch(String), { timeout: 20_000 }).toBe(`${ROWS}\t${ROWS}`);
      await disk.empty();
      // As long again, until it sees that there is room. Nothing outside of the guard shows either.
      await delay(1_500);
      await expect.poll(() => run(`OPTIMIZE TABLE ${table} FINAL`).catch(String), { timeout: 20_000 }).toBe('');
      expect(await count(table)).toBe(`${ROWS}\t${ROWS}`);
      if (await isBroken()) return;
      await run(`DROP TABLE ${table} SYNC`);
    }
    throw new Error('the disk was never full while a merge wrote');
  },
);

test.skipIf(!SmallDisk.canMount)(
  'an insert that the disk fills up under fails, and can be repeated',
  { timeout: 180_000 },
  async () => {
    const { disk, run, make, insert, count, isBroken } = await makeScene();
    for (const [attempt, moment] of [1, 4, 2].flatMap((times) => MOMENTS_MS.map((ms) => times * ms)).entries()) {
      const table = `t${attempt}`;
      await make(table);
      const inserted = insert(table, 0, ROWS_AT_ONCE).then(
        () => true,
        () => false,
      );
      // The fault comes at this moment of the insert.
      await delay(moment);
      await disk.fill(LEFT_KIBIBYTES);
      const isDone = await inserted;
      const held = isDone ? ROWS_AT_ONCE : 0;
      expect([isDone, await count(table)]).toEqual([isDone, `${held}\t${held}`]);
      await disk.empty();
      await insert(table, 0, ROWS_AT_ONCE);
      // The guard may not have seen yet that there is room for merges again.
      await expect.poll(() => run(`OPTIMIZE TABLE ${table} FINAL`).catch(String), { timeout: 20_000 }).toBe('');
      expect(await count(table)).toBe(`${ROWS_AT_ONCE}\t${ROWS_AT_ONCE}`);
      if (!isDone || (await isBroken())) return;
      await run(`DROP TABLE ${table} SYNC`);
    }
    throw new Error('the disk was never full while an insert wrote');
  },
);

test('a part is whole with projections that are larger than their folder entries', async () => {
  const engine = new ChdbEngine(join(await temporaryFolder(), 'store'));
  onTestFinished(() => engine.close());
  await engine.query(
    '',
    `CREATE TABLE t (a UInt64, b String, PROJECTION p (SELECT b, count() GROUP BY b)) ENGINE = MergeTree ORDER BY a`,
  );

  const inserted = engine.query('', 'INSERT INTO t SELECT number, toString(cityHash64(number)) FROM numbers(50000)');

  await expect(inserted).resolves.toBeDefined();
});
