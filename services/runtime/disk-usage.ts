import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** What the files of a folder take on the disk: a sparse file takes less than its length. */
export async function usedBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let sum = 0;
  for (const entry of entries.filter((one) => one.isFile())) {
    // The service deletes files meanwhile.
    const stats = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    sum += (stats?.blocks ?? 0) * 512;
  }
  return sum;
}

export interface Room {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Free space on the folder's file system, for users other than root. */
export async function roomOf(folder: string): Promise<Room> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}
