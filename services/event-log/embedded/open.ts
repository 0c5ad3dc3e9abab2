import type { Logger } from '../../runtime/logger.ts';
import type { LogStore } from './store.ts';

/** What stores an embedded log, by the scheme of its URL, and the folder of its files. */
export interface StoreAddress {
  readonly scheme: 'lmdb' | 'log';
  readonly folder: string;
}

/**
 * Opens the store in a folder. Where the folder is absent or empty, it creates a log there; and the topics that the log
 * lacks. A log in LMDB that is to be one of segments is converted before.
 *
 * @throws TidemarkError `CONFIG_INVALID` where a topic has another number of partitions or the folder cannot be used;
 *   `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`.
 */
export async function openStore(
  { scheme, folder }: StoreAddress,
  topics: readonly string[],
  partitions: number | undefined,
  logger?: Pick<Logger, 'info'>,
): Promise<LogStore> {
  if (scheme === 'log') {
    await convertIfInLmdb(folder, logger);
    const { SegmentStore } = await import('../segments/segment-store.ts');
    return SegmentStore.open({ folder, topics, partitions });
  }
  const { prepareFolder } = await import('../lmdb/folder.ts');
  const { LmdbStore } = await import('../lmdb/lmdb-store.ts');
  await prepareFolder(folder, topics, partitions);
  return LmdbStore.openChecked(folder, topics, partitions);
}

async function convertIfInLmdb(folder: string, logger: Pick<Logger, 'info'> | undefined): Promise<void> {
  const { convert, isToBeConverted } = await import('./conversion.ts');
  if (!isToBeConverted(folder)) return;
  const { openStoredLog } = await import('../lmdb/stored-log.ts');
  const { openUnshared } = await import('../segments/segment-store.ts');
  await convert({ folder, openOld: openStoredLog, openNew: openUnshared, logger });
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
