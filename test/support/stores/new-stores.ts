/** New Postgres clusters without initdb, which takes 4 s of processor: copies of one that the test run makes once. */
import { existsSync, openAsBlob } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PgliteDatabase } from '../../../services/stores/database/pglite/pglite-database.ts';
import { askKeeper } from '../../servers/ask-keeper.ts';

/** Places one where `pglite:FOLDER` looks for it, unless that is there. Outside a test run the opener makes its own. */
export async function placeCluster(folder: string): Promise<void> {
  const target = join(folder, 'cluster');
  const template = existsSync(target) ? undefined : await templateFolder();
  if (template === undefined) return;
  // Closed to others, as the service demands of a folder that is there before it.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await cp(join(template, 'cluster'), target, { recursive: true });
}

export async function openClusterInMemory(): Promise<PgliteDatabase> {
  const template = await templateFolder();
  const tar = template === undefined ? undefined : await openAsBlob(join(template, 'cluster.tar'));
  return PgliteDatabase.openInMemory(tar);
}

async function templateFolder(): Promise<string | undefined> {
  const { status, text } = await askKeeper('pglite');
  return status === 200 ? text : undefined;
}
