/** Folders that hold what is personal and secret: nobody but their owner may read or write them. */
import { chmodSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TidemarkError } from './errors.ts';

const GROUP_OR_OTHERS = 0o077;
const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const SET_GROUP = 0o2000;
const PERMISSIONS = 0o7777;
const OURS_ALONE = 0o700;
/** What a file system puts into its root by itself. */
export const LOST_AND_FOUND = 'lost+found';

/**
 * Sees to it that a folder is closed to other users, where there is one; an empty one is closed. Only its own mode counts:
 * what is inside a closed folder is closed. Two exceptions, both of volumes as containers have them:
 *
 * - A folder that gives its group to whatever is made in it (setgid) was given to that group on purpose, as Kubernetes'
 *   `fsGroup` does: its group may read and write.
 * - A folder that belongs to another user cannot be closed by us: others may list it, not write it, and each folder
 *   within is looked at in its place.
 *
 * @param setting Which setting names the folder.
 * @throws TidemarkError `FOLDER_EXPOSED`, with the command that closes it.
 */
export function checkPrivate(folder: string, setting: string): void {
  const path = resolve(folder);
  const stats = statSync(path, { throwIfNoEntry: false });
  // Whoever goes on to use it says what is wrong with a file.
  if (stats?.isDirectory() !== true) return;
  if (closeIfEmpty(path)) return;
  const isForeign = isAnothers(stats);
  const exposed = stats.mode & exposing(stats, isForeign);
  if (exposed !== 0) throw refusal(path, setting, stats.mode);
  if (isForeign) for (const name of foldersIn(path)) checkPrivate(join(path, name), setting);
}

/** Closes a folder with nothing in it; one with something in it may be anything, /tmp too. Whether it is closed now. */
export function closeIfEmpty(path: string): boolean {
  try {
    if (readdirSync(path).some((name) => name !== LOST_AND_FOUND)) return false;
    chmodSync(path, OURS_ALONE);
    return true;
  } catch {
    // A mounted folder may belong to another user and still be ours to write.
    return false;
  }
}

/** Root closes any. */
function isAnothers({ uid }: Stats): boolean {
  const ours = process.geteuid?.();
  return ours !== undefined && ours !== 0 && ours !== uid;
}

/** The bits of the mode that must not be set. */
function exposing({ mode }: Stats, isForeign: boolean): number {
  if (isForeign) return OTHERS_WRITE;
  return (mode & SET_GROUP) === 0 ? GROUP_OR_OTHERS : OTHERS;
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== LOST_AND_FOUND).map(({ name }) => name);
}

function refusal(path: string, setting: string, mode: number): TidemarkError {
  const shown = (mode & PERMISSIONS).toString(8).padStart(4, '0');
  return new TidemarkError(
    'FOLDER_EXPOSED',
    `${setting}: other users may read or write in ${path} (mode ${shown}). Close it: chmod -R go-rwx ${quoted(path)}`,
  );
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
