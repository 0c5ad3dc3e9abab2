import { existsSync } from 'node:fs';
import { roomOf, usedBytes } from '../runtime/disk-usage.ts';
import type { StoreFigures } from './store-figures.ts';

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
  figures: Pick<StoreFigures, 'profilesBytes' | 'analyticsBytes'>,
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
