import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { INITDB_OPTIONS, POSTGRES_VERSION } from './engine.ts';
import { runInitdb } from './run-initdb.ts';

const PACKAGES = new URL('../../../../node_modules/', import.meta.url);

/**
 * The folder of the cluster that `npm ci` makes, for first starts to copy: initdb in WebAssembly takes two to four
 * seconds, a copy a tenth of one. It holds nothing but what initdb makes. Its name tells for which engine it was made.
 */
export function preparedCluster(): string {
  const engine = readFileSync(new URL('@electric-sql/pglite/package.json', PACKAGES), 'utf8');
  const { version } = JSON.parse(engine) as { readonly version: string };
  const madeBy = createHash('sha256')
    .update(JSON.stringify([version, POSTGRES_VERSION, INITDB_OPTIONS]))
    .digest('hex');
  return fileURLToPath(new URL(`.cache/tidemark-cluster-${madeBy.slice(0, 16)}`, PACKAGES));
}

/** Makes the prepared cluster if it does not exist. It gets its name when it is whole. */
export async function prepareCluster(cluster = preparedCluster()): Promise<void> {
  if (existsSync(cluster)) return;
  const draft = `${cluster}.${process.pid}`;
  mkdirSync(dirname(cluster), { recursive: true });
  try {
    await runInitdb(draft);
    renameSync(draft, cluster);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Copies a prepared cluster to `folder`, which is not there yet.
 *
 * @returns False, leaving nothing, if it does not exist or cannot be copied.
 */
export async function copyPreparedCluster(folder: string, prepared?: string): Promise<boolean> {
  try {
    const cluster = prepared ?? preparedCluster();
    if (!existsSync(join(cluster, 'PG_VERSION'))) return false;
    // A thousand small files, which take Node's `cp` a second of this process. The packages may be read by everybody.
    await promisify(execFile)('sh', ['-c', 'umask 077 && exec cp -RL "$1" "$2"', 'sh', cluster, folder]);
    return true;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return false;
  }
}
