import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventLog } from '../../event-log/event-log.ts';

/** Where the data of this process is: the folder of a store that is embedded, undefined of one on a server. */
export interface DataFolders {
  readonly dataDir: string;
  readonly log: string | undefined;
  readonly profiles: string | undefined;
  readonly analytics: string | undefined;
  /** Other folders that the process writes to. */
  readonly spool?: string | undefined;
  readonly backups?: string | undefined;
}

/** A disk, by a folder on it. */
export interface DiskRoom {
  readonly folder: string;
  readonly totalBytes: number;
  /** For users that are not root. */
  readonly freeBytes: number;
  /** The embedded stores whose files are on it. */
  readonly stores: readonly SizedStore[];
}

export interface DiskFigures extends DiskRoom {
  /** What the data folder takes. */
  readonly usedBytes: number;
}

const STORES = ['log', 'profiles', 'analytics'] as const;

export type SizedStore = (typeof STORES)[number];

/** Null where it is not known. */
export type StoredBytes = Readonly<Record<SizedStore, number | null>>;

/** Null where this machine has no data folder. */
export async function diskFigures(folders: DataFolders): Promise<DiskFigures | null> {
  const room = await diskRoom(folders);
  return room && { ...room, usedBytes: await usedBytes(room.folder) };
}

/** The disk of the data folder. Null where this machine has none. */
export async function diskRoom(folders: DataFolders): Promise<DiskRoom | null> {
  return (await diskRooms(folders, [folders.dataDir]))[0] ?? null;
}

/** Each disk that has one of these folders, by the first of them. One that is not there has no disk. */
export async function diskRooms(folders: DataFolders, on: readonly (string | undefined)[]): Promise<DiskRoom[]> {
  const rooms = new Map<number, DiskRoom>();
  const stores = await Promise.all(STORES.map(async (store) => [store, await deviceOf(folders[store])] as const));
  for (const folder of on) {
    const device = await deviceOf(folder);
    if (folder === undefined || device === undefined || rooms.has(device)) continue;
    const { blocks, bavail, bsize } = await statfs(folder);
    const onIt = stores.flatMap(([store, its]) => (its === device ? [store] : []));
    rooms.set(device, { folder, totalBytes: blocks * bsize, freeBytes: bavail * bsize, stores: onIt });
  }
  return [...rooms.values()];
}

async function deviceOf(folder: string | undefined): Promise<number | undefined> {
  return folder === undefined ? undefined : (await stat(folder).catch(() => undefined))?.dev;
}

/** The files of embedded stores, and what servers tell. */
export async function storedBytes(
  folders: DataFolders,
  figures: Readonly<Record<'profilesBytes' | 'analyticsBytes', () => Promise<number>>>,
  server: Pick<EventLog, 'storedBytes'>,
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
    of(folders.log, async () => (await server.storedBytes?.()) ?? null),
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
