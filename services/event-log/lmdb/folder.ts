import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';
import { LOST_AND_FOUND } from '../../runtime/private-folder.ts';
import { flushFolder } from '../flush-folder.ts';
import { checkDataFile } from './data-file.ts';
import { damaged } from '../embedded/errors.ts';
import { grown } from '../embedded/layout.ts';
import { lmdbFailure } from './errors.ts';
import { createLog } from './open-log.ts';

const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
/** A log that is being created, and its lock file. */
const UNFINISHED = /^new-[0-9a-f]{16}\.mdb(-lock)?$/;

/**
 * Ensures that the folder holds an event log whose file is intact. Creates a log where the folder is absent or empty. The
 * file gets its name once it is complete, so that a crash at any moment, or another process doing the same, leaves either
 * an empty folder or a log.
 *
 * @throws TidemarkError `LOG_FOREIGN`, `LOG_DAMAGED`, `CONFIG_INVALID` where the folder cannot be created or written.
 */
export async function prepareFolder(
  folder: string,
  topics: readonly string[],
  partitions: number | undefined,
): Promise<void> {
  const path = resolve(folder);
  const names = await ensureFolder(path);
  if (!names.includes(DATA_FILE)) {
    refuseForeign(path, names);
    await makeLog(path, topics, partitions);
  }
  checkDataFile(join(path, DATA_FILE));
  // A process that is still creating one of these finds that the log exists.
  const left = (await readdir(path)).filter((name) => UNFINISHED.test(name));
  await Promise.all(left.map((name) => rm(join(path, name), { force: true })));
}

async function ensureFolder(path: string): Promise<readonly string[]> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return await readdir(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TidemarkError('CONFIG_INVALID', `the event log's folder ${path} cannot be used: ${reason}`, {
      cause: error,
    });
  }
}

function refuseForeign(path: string, names: readonly string[]): void {
  const foreign = names.filter((name) => name !== LOST_AND_FOUND && !UNFINISHED.test(name));
  if (foreign.length === 0) return;
  if (foreign.every((name) => name === LOCK_FILE)) {
    throw damaged(`${path} has lost its ${DATA_FILE}: empty the folder to begin a new event log`);
  }
  const some = foreign.slice(0, 3).join(', ');
  throw new TidemarkError(
    'LOG_FOREIGN',
    `${path} holds other files (${some}) but no event log: choose an empty folder`,
  );
}

/** Creates a log in a folder, unless there is one by now. */
export async function makeLog(path: string, topics: readonly string[], partitions: number | undefined): Promise<void> {
  const file = join(path, `new-${randomBytes(8).toString('hex')}.mdb`);
  try {
    await createLog(file, grown([], topics, partitions));
    await putInPlace(file, join(path, DATA_FILE));
    await flushFolder(path);
    await flushFolder(dirname(path));
  } catch (error) {
    throw lmdbFailure(error, `to create ${path}`);
  } finally {
    await rm(file, { force: true });
    await rm(`${file}-lock`, { force: true });
  }
}

/** Never replaces a log that another process has just created. */
async function putInPlace(file: string, target: string): Promise<void> {
  try {
    await link(file, target);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // ENOENT: a process that found the log complete has removed this file.
    if (code === 'EEXIST' || code === 'ENOENT') return;
    // Some file systems have no hard links. There, two processes must not create a log at the same instant.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') await rename(file, target);
    else throw error;
  }
}
