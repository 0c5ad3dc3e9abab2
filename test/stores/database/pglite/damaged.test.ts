import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PgliteDatabase } from '../../../../services/stores/database/pglite/pglite-database.ts';
import { placeCluster } from '../../../support/stores/new-stores.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NOBODY = 65_534;
const SCRIPT = `
  import { PgliteDatabase } from './services/stores/database/pglite/pglite-database.ts';
  const opened = await PgliteDatabase.open(process.argv[1]).catch((error) => error);
  console.log(JSON.stringify({ code: opened.code, retryable: opened.retryable, message: opened.message }));`;

async function clusterIn(): Promise<{ readonly folder: string; readonly cluster: string }> {
  const folder = await temporaryFolder();
  await placeCluster(folder);
  return { folder, cluster: join(folder, 'cluster') };
}

test.each<[string, (cluster: string) => void]>([
  ['whose control file is cut off', (cluster) => truncateSync(join(cluster, 'global/pg_control'), 100)],
  ['whose control file is zeros', (cluster) => writeFileSync(join(cluster, 'global/pg_control'), Buffer.alloc(8_192))],
  ['without its version', (cluster) => rmSync(join(cluster, 'PG_VERSION'))],
  ['without its log', (cluster) => rmSync(join(cluster, 'pg_wal'), { recursive: true })],
])('a database %s says that it is damaged and what to do, and is not retried', async (_, damage) => {
  const { folder, cluster } = await clusterIn();
  damage(cluster);

  const failure = await PgliteDatabase.open(folder).catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: 'STORE_DAMAGED', retryable: false });
  expect(String(failure)).toContain(cluster);
  expect(String(failure)).toContain('RECOVER_PROJECTS');
});

test('a database that may not be written says so, and is not retried', async () => {
  const { folder, cluster } = await clusterIn();
  if (process.getuid?.() === 0) giveTo(NOBODY, folder);
  chmodSync(join(cluster, 'global/pg_control'), 0o400);

  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const args = ['--input-type=module-typescript', '--eval', SCRIPT, folder];
  const { stdout, stderr } = spawnSync(process.execPath, args, { ...user, encoding: 'utf8' });

  expect(JSON.parse(stdout || JSON.stringify({ stderr }))).toMatchObject({ code: 'CONFIG_INVALID', retryable: false });
  expect(stdout).toContain('pg_control');
});

/** With everything in it. */
function giveTo(user: number, folder: string): void {
  chownSync(folder, user, user);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), user, user);
}
