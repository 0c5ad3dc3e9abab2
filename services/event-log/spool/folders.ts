/**
 * The folders in `SPOOL_DIR`: one for each process, named `1`, `2`, …. The process that has its lock owns it. Each has the log
 * of the messages that wait, only while some do, and the files that were kept aside.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../../runtime/folder-lock.ts';
import { LOST_AND_FOUND } from '../../runtime/private-folder.ts';
import { flushFolder } from '../flush-folder.ts';

export interface TakenFolder {
  readonly path: string;
  readonly lock: FolderLock;
}

const FOLDER_NAME = /^[1-9]\d{0,5}$/;
export const LOG = 'log';
/** A log that is being removed. */
export const FORWARDED = 'forwarded';
/** A file in which version 0.2 kept messages. */
const OLD_SEGMENT = /^\d{16}\.spool$/;
/** The folder's lock, files that were kept aside, `probe` of version 0.2, the folder that a file system creates. */
const OTHER_NAMES = /^(\.lock.*|[0-9a-f-]+\.(log|spool)\.kept|probe|lost\+found)$/;

/**
 * The first folder that no other process owns, with what an earlier process may have left in it. If all have owners, a new
 * folder is created.
 *
 * @throws TidemarkError `SPOOL_FOREIGN` where `dir` holds other files, or messages of version 0.2; `CONFIG_INVALID` where
 *   it cannot be used.
 */
export async function takeFolder(dir: string): Promise<TakenFolder> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await refuseOldSegments(dir);
    for (let number = 1; ; number++) {
      const path = join(dir, String(number));
      const lock = lockIfFree(path);
      if (lock === undefined) continue;
      await flushFolder(dir);
      return { path, lock };
    }
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TidemarkError('CONFIG_INVALID', `SPOOL_DIR: ${dir} cannot be used: ${reason}`, { cause: error });
  }
}

/** The folders of other processes in which something waits, whether or not these processes run. */
export async function foldersWithContent(dir: string, own: string): Promise<readonly string[]> {
  const paths = (await spoolFolderNames(dir)).map((name) => join(dir, name)).filter((path) => path !== own);
  const contents = await Promise.all(paths.map((path) => readdir(path).catch(() => [])));
  return paths.filter((_, i) => contents[i]?.some((name) => name === LOG));
}

/** Returns undefined where another process has it. It does not wait, because this thread serves requests. */
export function lockIfFree(path: string): FolderLock | undefined {
  try {
    return lockFolder(path, { contentionMs: 0 });
  } catch (error) {
    if (hasCode(error, 'FOLDER_IN_USE')) return undefined;
    throw error;
  }
}

async function refuseOldSegments(dir: string): Promise<void> {
  for (const name of await spoolFolderNames(dir)) {
    const folder = join(dir, name);
    if (!(await readdir(folder)).some((file) => OLD_SEGMENT.test(file))) continue;
    throw new TidemarkError(
      'SPOOL_FOREIGN',
      `SPOOL_DIR: ${folder} holds messages of version 0.2: start version 0.3.0 once on it, then this version`,
    );
  }
}

async function spoolFolderNames(dir: string): Promise<readonly string[]> {
  const names = (await readdir(dir)).filter((name) => name !== LOST_AND_FOUND);
  refuseForeign(
    dir,
    names.filter((name) => !FOLDER_NAME.test(name)),
  );
  return names;
}

/** What is in the folder of a process. @throws TidemarkError `SPOOL_FOREIGN` where not all of it is a spool's. */
export async function spoolNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  const others = names.filter((name) => name !== LOG && name !== FORWARDED);
  refuseForeign(
    folder,
    others.filter((name) => !OTHER_NAMES.test(name)),
  );
  return names;
}

function refuseForeign(folder: string, foreign: readonly string[]): void {
  if (foreign.length === 0) return;
  const some = foreign.slice(0, 3).join(', ');
  throw new TidemarkError('SPOOL_FOREIGN', `SPOOL_DIR: ${folder} holds other files (${some}): move them elsewhere`);
}
