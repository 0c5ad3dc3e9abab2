import type { LogStore } from './store.ts';

/** What stores an embedded log, by the scheme of its URL, and the folder of its files. */
export interface StoreAddress {
  readonly scheme: 'lmdb' | 'log';
  readonly folder: string;
}

/**
 * Opens the store in a folder. Where the folder is absent or empty, it creates a log there; and the topics that the log
 * lacks.
 *
 * @throws TidemarkError `CONFIG_INVALID` where a topic has another number of partitions or the folder cannot be used;
 *   `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`.
 */
export async function openStore(
  { scheme, folder }: StoreAddress,
  topics: readonly string[],
  partitions: number | undefined,
): Promise<LogStore> {
  if (scheme === 'log') {
    const { SegmentStore } = await import('../segments/segment-store.ts');
    return SegmentStore.open({ folder, topics, partitions });
  }
  const { prepareFolder } = await import('../lmdb/folder.ts');
  const { LmdbStore } = await import('../lmdb/lmdb-store.ts');
  await prepareFolder(folder, topics, partitions);
  return LmdbStore.openChecked(folder, topics, partitions);
}

/** What opens the store of a log again that this process has open: in its writer thread. */
export async function storeOpener({ scheme, folder }: StoreAddress): Promise<() => LogStore> {
  if (scheme === 'log') {
    const { SegmentStore } = await import('../segments/segment-store.ts');
    return () => SegmentStore.open({ folder, topics: [], partitions: undefined });
  }
  const { LmdbStore } = await import('../lmdb/lmdb-store.ts');
  return () => LmdbStore.open(folder, [], undefined);
}
