import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TidemarkError } from '../../../runtime/errors.ts';
import { POSTGRES_VERSION } from './engine.ts';

const DRAFT = 'cluster.new';

/**
 * Returns the folder of the Postgres cluster in a locked folder, and creates the cluster if it does not exist. A new
 * cluster is complete and flushed to the disk before it gets its name, so a crash leaves either no cluster or a
 * complete one.
 *
 * @param signal Aborts the creation with `STOPPING`.
 * @throws TidemarkError `CONFIG_INVALID` if the cluster has another major version; `STORE_UNAVAILABLE` if no cluster
 *   can be created.
 */
export async function ensureCluster(folder: string, signal?: AbortSignal): Promise<string> {
  const cluster = join(folder, 'cluster');
  removeDrafts(folder);
  if (!existsSync(cluster)) await createCluster(folder, cluster, signal);
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version !== POSTGRES_VERSION) {
    const message = `${cluster} was written by Postgres ${version}, which this version (${POSTGRES_VERSION}) cannot read`;
    throw new TidemarkError('CONFIG_INVALID', message);
  }
  return cluster;
}

async function createCluster(folder: string, cluster: string, signal?: AbortSignal): Promise<void> {
  // Each start uses a folder of its own: the initdb process of a killed start may still be running in another one.
  const draft = join(folder, `${DRAFT}-${randomBytes(8).toString('hex')}`);
  await initialize(draft, signal);
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

/**
 * Runs in a separate process: initdb starts a second engine of 300 MB, most of which this process would keep
 * (measured).
 */
async function initialize(draft: string, signal?: AbortSignal): Promise<void> {
  const script = fileURLToPath(new URL('initialize.ts', import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [script, draft], { signal, killSignal: 'SIGKILL' });
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
