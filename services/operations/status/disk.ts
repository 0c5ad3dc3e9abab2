import { existsSync } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { SqlStoreFigures } from './store-figures.ts';

/** Where the data of this process is: the folder of a store that is embedded, undefined of one on a server. */
export interface DataFolders {
  readonly dataDir: string;
  readonly log: string | undefined;
  readonly profiles: string | undefined;
  readonly analytics: string | undefined;
}

export interface DiskFigures {
  readonly folder: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** What the data folder takes. */
  readonly usedBytes: number;
}

/** Null where it is not known. */
export interface StoredBytes {
  readonly log: number | null;
  readonly profiles: number | null;
  readonly analytics: number | null;
}

/** Null where this machine has no data folder. */
export async function diskFigures({ dataDir }: DataFolders): Promise<DiskFigures | null> {
  if (!existsSync(dataDir)) return null;
  return { folder: dataDir, ...(await roomOf(dataDir)), usedBytes: await usedBytes(dataDir) };
}

/** The files of embedded stores, and what servers tell; Kafka does not tell. */
export async function storedBytes(
  folders: DataFolders,
  figures: Pick<SqlStoreFigures, 'profilesBytes' | 'analyticsBytes'>,
): Promise<StoredBytes> {
  const of = async (folder: string | undefined, elsewhere: () => Promise<number | null>): Promise<number | null> => {
    try {
      return await (folder === undefined ? elsewhere() : usedBytes(folder));
    } catch {
      // `parts` reports the unavailable store.
      return null;
    }
  };
  const [log, profiles, analytics] = await Promise.all([
    of(folders.log, async () => null),
    of(folders.profiles, () => figures.profilesBytes()),
    of(folders.analytics, () => figures.analyticsBytes()),
  ]);
  return { log, profiles, analytics };
}

/** What the files of a folder take on the disk: a sparse file takes less than its length. */
async function usedBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let sum = 0;
  for (const entry of entries.filter((one) => one.isFile())) {
    // The service deletes files meanwhile.
    const stats = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    sum += (stats?.blocks ?? 0) * 512;
  }
  return sum;
}

interface Room {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Free space on the folder's file system, for non-root users. */
async function roomOf(folder: string): Promise<Room> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}
