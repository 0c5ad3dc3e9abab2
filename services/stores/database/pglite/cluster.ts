import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../../runtime/errors.ts';
import { POSTGRES_VERSION } from './engine.ts';
import { copyPreparedCluster } from './prepared-cluster.ts';
import { runInitdb } from './run-initdb.ts';

const DRAFT = 'cluster.new';

/**
 * Returns the folder of the Postgres cluster in a locked folder, and creates the cluster if it does not exist. A new
 * cluster is complete and flushed to the disk before it gets its name, so a crash leaves either no cluster or a
 * complete one.
 *
 * @param signal Aborts the creation with `STOPPING`.
 * @param prepared A folder to copy if it exists; otherwise initdb runs. By default that of `prepared-cluster.ts`.
 * @throws TidemarkError `CONFIG_INVALID` if the cluster has another major version; `STORE_UNAVAILABLE` if no cluster
 *   can be created.
 */
export async function ensureCluster(folder: string, signal?: AbortSignal, prepared?: string): Promise<string> {
  const cluster = join(folder, 'cluster');
  removeDrafts(folder);
  if (!existsSync(cluster)) await createCluster(folder, cluster, prepared, signal);
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version !== POSTGRES_VERSION) {
    const message = `${cluster} was written by Postgres ${version}, which this version (${POSTGRES_VERSION}) cannot read`;
    throw new TidemarkError('CONFIG_INVALID', message);
  }
  return cluster;
}

async function createCluster(folder: string, cluster: string, prepared?: string, signal?: AbortSignal): Promise<void> {
  // Each start uses a folder of its own: the initdb process of a killed start may still be running in another one.
  const draft = join(folder, `${DRAFT}-${randomBytes(8).toString('hex')}`);
  if (!(await copyPreparedCluster(draft, prepared))) await initialize(draft, signal);
  syncTree(draft);
  renameSync(draft, cluster);
  sync(folder);
}

/** Removes the unfinished clusters of killed starts. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(DRAFT))) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // Another process is still writing it. The next start removes it.
    }
  }
}

async function initialize(draft: string, signal?: AbortSignal): Promise<void> {
  try {
    await runInitdb(draft, signal);
  } catch (error) {
    if (signal?.aborted === true) throw new TidemarkError('STOPPING', 'no database is made any more', { cause: error });
    throw new TidemarkError('STORE_UNAVAILABLE', `no database could be made in ${draft}`, { cause: error });
  }
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else sync(path);
  }
  sync(folder);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
