/** Folders with personal and secret data: only their owner may read or write them. */
import { chmodSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TidemarkError } from './errors.ts';

const GROUP_OR_OTHERS = 0o077;
const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const SET_GROUP = 0o2000;
const PERMISSIONS = 0o7777;
const OWNER_ONLY = 0o700;
/** What a file system creates in its root by itself. */
export const LOST_AND_FOUND = 'lost+found';

/**
 * Checks that a folder, where it exists, is closed to other users; an empty one is closed here. Only its own mode counts:
 * everything inside a closed folder is closed. There are three exceptions, all for volumes of containers:
 *
 * - A folder whose group is inherited by the files created in it (setgid) was meant for that group, as Kubernetes'
 *   `fsGroup` does: its group may read and write.
 * - So may the group 0 of a folder where the process is in that group and is not root, as on OpenShift: it gives each
 *   container a user id that no image knows, so volumes are opened to the one group that it always has.
 * - A folder that belongs to another user cannot be closed by this process: others may list it but not write it, and
 *   each folder inside it is checked instead.
 *
 * @param setting Which setting names the folder.
 * @throws TidemarkError `FOLDER_EXPOSED`, with the command that closes it.
 */
export function checkPrivate(folder: string, setting: string): void {
  const path = resolve(folder);
  const stats = statSync(path, { throwIfNoEntry: false });
  // Where it is a file, whoever opens it as a folder reports that.
  if (stats?.isDirectory() !== true) return;
  if (closeIfEmpty(path)) return;
  const isForeign = isOfAnotherUser(stats);
  const exposed = stats.mode & exposing(stats, isForeign);
  if (exposed !== 0) throw refusal(path, setting, stats.mode);
  if (isForeign) for (const name of foldersIn(path)) checkPrivate(join(path, name), setting);
}

/**
 * Checks that no other user may put something into a folder, which may be read by others.
 *
 * @param setting Which setting names the folder.
 * @throws TidemarkError `FOLDER_EXPOSED`, with the command that closes it.
 */
export function checkUnwritable(folder: string, setting: string): void {
  const path = resolve(folder);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true && (stats.mode & OTHERS_WRITE) !== 0)
    throw refusal(path, setting, stats.mode, 'o-w');
}

/** Closes an empty folder; one that is not empty may be any folder, such as /tmp. Whether it was closed. */
export function closeIfEmpty(path: string): boolean {
  try {
    if (readdirSync(path).some((name) => name !== LOST_AND_FOUND)) return false;
    chmodSync(path, OWNER_ONLY);
    return true;
  } catch {
    // A mounted folder may belong to another user and still be ours to write.
    return false;
  }
}

/** Root closes any. */
function isOfAnotherUser({ uid }: Stats): boolean {
  const ours = process.geteuid?.();
  return ours !== undefined && ours !== 0 && ours !== uid;
}

/** The bits of the mode that must not be set. */
function exposing({ mode, gid }: Stats, isForeign: boolean): number {
  if (isForeign) return OTHERS_WRITE;
  return (mode & SET_GROUP) === 0 && !isOurGroupZero(gid) ? GROUP_OR_OTHERS : OTHERS;
}

function isOurGroupZero(gid: number): boolean {
  return gid === 0 && process.getegid?.() === 0 && process.geteuid?.() !== 0;
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== LOST_AND_FOUND).map(({ name }) => name);
}

function refusal(path: string, setting: string, mode: number, closing = 'go-rwx'): TidemarkError {
  const shown = (mode & PERMISSIONS).toString(8).padStart(4, '0');
  return new TidemarkError(
    'FOLDER_EXPOSED',
    `${setting}: other users may read or write in ${path} (mode ${shown}). Close it: chmod -R ${closing} ${shellQuoted(path)}`,
  );
}

/** Quoted for a shell, where needed. */
function shellQuoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
