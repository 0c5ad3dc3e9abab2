import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureCluster } from '../../../../services/stores/database/pglite/cluster.ts';
import { PgliteDatabase } from '../../../../services/stores/database/pglite/pglite-database.ts';
import { prepareCluster, preparedCluster } from '../../../../services/stores/database/pglite/prepared-cluster.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** What a new installation's database answers. */
async function answerOf(folder: string): Promise<unknown> {
  const database = await PgliteDatabase.open(folder);
  try {
    return await database.query(`select current_setting('wal_segment_size') as segments, count(*)::int4 as tables
                                 from pg_tables where schemaname = 'public'`);
  } finally {
    await database.close();
  }
}

const NEW_AND_EMPTY = [{ segments: '4MB', tables: 0 }];

test('a new database is a copy of the prepared cluster', async () => {
  const [folder, prepared] = [await temporaryFolder(), join(await temporaryFolder(), 'prepared')];
  await prepareCluster(prepared);
  await writeFile(join(prepared, 'a-mark'), 'copied');
  await chmod(prepared, 0o755);

  const cluster = await ensureCluster(folder, undefined, prepared);

  expect(await readFile(join(cluster, 'a-mark'), 'utf8')).toBe('copied');
  const modes = [cluster, join(cluster, 'a-mark'), join(cluster, 'base')].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o700]);
  expect(await answerOf(folder)).toEqual(NEW_AND_EMPTY);
});

test('a new database is made on the spot where no cluster was prepared', async () => {
  const folder = await temporaryFolder();

  await ensureCluster(folder, undefined, join(folder, 'nothing-here'));

  expect(await answerOf(folder)).toEqual(NEW_AND_EMPTY);
});

test('a new database is made on the spot where the prepared cluster cannot be copied', async () => {
  const [folder, prepared] = [await temporaryFolder(), join(await temporaryFolder(), 'prepared')];
  await mkdir(prepared);
  await writeFile(join(prepared, 'PG_VERSION'), '18');
  await symlink('nowhere', join(prepared, 'no-file-to-copy'));

  await ensureCluster(folder, undefined, prepared);

  expect(await answerOf(folder)).toEqual(NEW_AND_EMPTY);
});

test('a database that is stopped while initdb makes it leaves no cluster', async () => {
  const folder = await temporaryFolder();
  const stop = new AbortController();

  const making = ensureCluster(folder, stop.signal, join(folder, 'nothing-here'));
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  stop.abort();

  await expect(making).rejects.toMatchObject({ code: 'STOPPING' });
  expect(existsSync(join(folder, 'cluster'))).toBe(false);
});

test('the prepared cluster is kept where it is there, and has a name of its own for each engine', async () => {
  const prepared = join(await temporaryFolder(), 'prepared');
  await mkdir(prepared);

  await prepareCluster(prepared);

  expect(readdirSync(prepared)).toEqual([]);
  expect(preparedCluster()).toMatch(/node_modules\/\.cache\/tidemark-cluster-[0-9a-f]{16}$/);
});
