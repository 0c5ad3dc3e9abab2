/** The folder that backups are in: found, locked, and freed of what a run left that did not end. */
import { lstat, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../../runtime/folder-lock.ts';
import { checkPrivate, checkUnwritable, LOST_AND_FOUND } from '../../runtime/private-folder.ts';
import { filesOf, type Manifest, MANIFEST_FILE, NEW_MANIFEST_FILE, readManifest } from './manifest.ts';
import { damaged, notRegular, readingFailure, type StoredFile, unavailable } from './stored-file.ts';

export const LOG_FOLDER = 'log';
export const TABLES_FOLDER = 'tables';
export const HISTORY_FOLDER = 'audience-history';
const FOLDERS = [LOG_FOLDER, TABLES_FOLDER, HISTORY_FOLDER];

/** As a refusal names it: no setting need name the folder. */
const BACKUPS = 'The folder of backups';

/** Those of `lockFolder`. */
const OWN_LOCK = /^\.lock/;

// A file system over a network that has gone away answers nothing, and would keep a thread for ever.
const ANSWERS_WITHIN_MS = 10_000;

/** Free beside what is to be written. */
const RESERVE_BYTES = 64 * 2 ** 20;

export interface OpenedFolder {
  /** Undefined where it is new. */
  readonly manifest: Manifest | undefined;
  readonly lock: FolderLock;
}

/**
 * Makes the folder where it is absent, and keeps others from writing to it.
 *
 * @throws TidemarkError `BACKUP_UNAVAILABLE`; `BACKUP_FOREIGN` where it holds something else; `BACKUP_DAMAGED`;
 *   `FOLDER_IN_USE`; `FOLDER_EXPOSED` where other users may read or write it.
 */
export async function openFolder(folder: string): Promise<OpenedFolder> {
  const isThere = await answers(folder);
  // Before anything is written into it, the lock too.
  if (isThere && (await readManifest(folder)) === undefined) await refuseOthers(folder);
  checkPrivate(folder, BACKUPS);
  if (!isThere) await mkdir(folder, { recursive: true, mode: 0o700 }).catch(rethrow(`cannot make ${folder}`));
  const lock = lockedFolder(folder);
  try {
    const manifest = await readManifest(folder);
    for (const name of FOLDERS) {
      const path = join(folder, name);
      await mkdir(path, { recursive: true, mode: 0o700 }).catch(rethrow(`cannot make ${path}`));
    }
    return { manifest, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The manifest of a folder that is only read.
 *
 * @throws TidemarkError as `openFolder`; `FOLDER_EXPOSED` where other users may write it; `BACKUP_FOREIGN` without one.
 */
export async function manifestOf(folder: string): Promise<Manifest> {
  const isThere = await answers(folder);
  checkUnwritable(folder, BACKUPS);
  const manifest = isThere ? await readManifest(folder) : undefined;
  if (manifest !== undefined) return manifest;
  throw new TidemarkError('BACKUP_FOREIGN', `${folder} holds no finished backup: it has no ${MANIFEST_FILE}.`);
}

/** Whether the folder is there. @throws TidemarkError `BACKUP_UNAVAILABLE`, also where nothing answers in time. */
export async function answers(folder: string): Promise<boolean> {
  const timer = new AbortController();
  const silence = delay(ANSWERS_WITHIN_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    const found = await Promise.race([stat(folder), silence]);
    if (found === undefined)
      throw new Error(`it does not answer within ${ANSWERS_WITHIN_MS / 1_000} s: is it mounted?`);
    if (!found.isDirectory()) throw new Error('it is not a folder');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw unavailable(`cannot use ${folder}`, error);
  } finally {
    timer.abort();
  }
}

function lockedFolder(folder: string): FolderLock {
  try {
    return lockFolder(folder);
  } catch (error) {
    throw hasCode(error, 'FOLDER_IN_USE') ? error : unavailable(`cannot lock ${folder}`, error);
  }
}

async function refuseOthers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(rethrow(`cannot read ${folder}`));
  const others = names.filter((name) => {
    return ![...FOLDERS, NEW_MANIFEST_FILE, LOST_AND_FOUND].includes(name) && !OWN_LOCK.test(name);
  });
  if (others.length === 0) return;
  const some = others.slice(0, 3).join(', ');
  throw new TidemarkError('BACKUP_FOREIGN', `${folder} holds other files (${some}): choose an empty folder.`);
}

/** Removes the files that the manifest does not name: of runs that did not end, and of backups that are not kept. */
export async function removeUnnamed(folder: string, manifest: Manifest): Promise<void> {
  const named = new Set(filesOf(manifest).map(({ file }) => file));
  for (const of of FOLDERS) {
    const path = join(folder, of);
    const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(rethrow(`cannot read ${path}`));
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files) {
      if (!named.has(relative(folder, file))) await rm(file, { force: true }).catch(rethrow(`cannot remove ${file}`));
    }
    const kept = [...named].map((file) => join(folder, file));
    for (const entry of entries.filter((one) => one.isDirectory())) {
      const below = join(entry.parentPath, entry.name);
      const isEmpty = !kept.some((file) => file.startsWith(`${below}/`));
      if (isEmpty) await rm(below, { recursive: true, force: true }).catch(rethrow(`cannot remove ${below}`));
    }
  }
}

/** @throws TidemarkError `BACKUP_DAMAGED` where a file is missing, is no regular one or has another length. */
export async function expectFiles(folder: string, files: readonly StoredFile[]): Promise<void> {
  for (const { file, bytes } of files) {
    const path = join(folder, file);
    const found = await lstat(path).catch((error: unknown) => {
      throw readingFailure(path, error);
    });
    if (!found.isFile()) throw notRegular(path);
    if (found.size !== bytes) throw damaged(`${path} has ${found.size} bytes instead of ${bytes}`);
  }
}

/** @throws TidemarkError `BACKUP_UNAVAILABLE` where less than these bytes and a reserve are free. */
export async function expectFree(folder: string, bytes: number): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(folder).catch(rethrow(`cannot use ${folder}`));
  // Some file systems do not tell.
  if (blocks === 0 || bavail * bsize >= bytes + RESERVE_BYTES) return;
  const [wanted, free] = [bytes + RESERVE_BYTES, bavail * bsize].map((each) => Math.ceil(each / 2 ** 20));
  throw unavailable(`does not fit into ${folder}`, `it needs some ${wanted} MiB, and ${free} MiB are free`);
}

function rethrow(what: string): (error: unknown) => never {
  return (error) => {
    throw unavailable(what, error);
  };
}
