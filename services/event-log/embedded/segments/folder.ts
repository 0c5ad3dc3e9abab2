import { dirname, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { TidemarkError } from '../../../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../../../runtime/folder-lock.ts';
import { LOST_AND_FOUND } from '../../../runtime/private-folder.ts';
import type { FileOperations } from './files.ts';
import { HEAD_FILE } from './head.ts';
import { NEW_REDO_FILE, REDO_FILE } from './erasure.ts';
import { segmentNumber } from './segment-file.ts';
import { TRIAL_FILE } from './segment-writer.ts';
import type { SharedLog } from './shared-log.ts';

/** The log of version 0.2 that version 0.3 converted. It still has every record, so the first erasure removes it. */
export const CONVERTED_FILE = 'data.mdb.converted';
/** The log of version 0.2, and the folder of a conversion that version 0.3 has not finished. */
const OLD_NAMES: readonly string[] = ['data.mdb', 'converting'];

const OWN_FILES: readonly string[] = [HEAD_FILE, REDO_FILE, NEW_REDO_FILE, CONVERTED_FILE, LOST_AND_FOUND];
/** Those of `lockFolder`. */
const LOCK_NAME = /^\.lock/;

/**
 * Makes the folder of a log where it is absent.
 *
 * @throws TidemarkError `LOG_FOREIGN` where it holds anything else, or a log of version 0.2; `CONFIG_INVALID` where it
 *   cannot be used.
 */
export function prepareFolder(files: FileOperations, folder: string): void {
  let names: readonly string[];
  try {
    makeFolder(files, folder);
    names = files.names(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the event log's folder ${folder} cannot be used: ${reason}`;
    throw new TidemarkError('CONFIG_INVALID', message, { cause: error });
  }
  if (names.some((name) => OLD_NAMES.includes(name))) {
    throw new TidemarkError(
      'LOG_FOREIGN',
      `${folder} holds an event log of version 0.2: start version 0.3.0 once on it, then this version`,
    );
  }
  const foreign = names.filter((name) => !isOwn(name));
  if (foreign.length === 0) return;
  const some = foreign.slice(0, 3).join(', ');
  throw new TidemarkError(
    'LOG_FOREIGN',
    `${folder} holds other files (${some}) than an event log's: choose an empty folder`,
  );
}

/** After a power cut the folders that were made are there. */
function makeFolder(files: FileOperations, folder: string): void {
  const first = files.makeFolder(folder);
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) files.flushFolder(dirname(made));
}

function isOwn(name: string): boolean {
  return OWN_FILES.includes(name) || segmentNumber(name) !== undefined || TRIAL_FILE.test(name) || LOCK_NAME.test(name);
}

/** The locks that this thread has. */
const locks = new Map<string, FolderLock>();

export interface ProcessLock {
  /** Where no store of the process has the log open any more, and this thread has the lock. */
  release(): void;
}

/**
 * Locks a folder against other processes, unless a thread of this process has. The lock ends with that thread, so it must
 * be the main thread, or the last to close the log.
 *
 * @param folder Undefined where nothing is to be locked.
 * @throws TidemarkError `FOLDER_IN_USE`.
 */
export function lockForProcess(shared: SharedLog, folder: string | undefined): ProcessLock {
  if (folder === undefined) return { release: () => undefined };
  const path = resolve(folder);
  if (shared.stores === 0 && shared.locker === 0) {
    locks.set(path, lockFolder(path));
    shared.locker = threadId + 1;
  }
  return {
    release: () => {
      if (shared.stores > 0 || shared.locker !== threadId + 1) return;
      locks.get(path)?.release();
      locks.delete(path);
      shared.locker = 0;
    },
  };
}
