import type { EventLogOptions } from '../event-log.ts';
import type { WriterData } from './requests.ts';
import type { DeletingStore, LogStore } from './store.ts';

/**
 * Opens the store in a folder. Where the folder is absent or empty, it creates a log there; and the topics that the log
 * lacks. A log of an earlier version, which is in LMDB, is converted before.
 *
 * @throws TidemarkError `CONFIG_INVALID` where a topic has another number of partitions or the folder cannot be used;
 *   `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`, `FOLDER_IN_USE`; `STOPPING` where the signal has ended a conversion.
 */
export async function openStore(
  folder: string,
  { topics, partitions, logger, signal }: EventLogOptions,
): Promise<LogStore> {
  const { convert, isToBeConverted } = await import('./conversion.ts');
  const { openUnshared, SegmentStore } = await import('../segments/segment-store.ts');
  if (isToBeConverted(folder)) {
    const { openStoredLog } = await import('../lmdb/stored-log.ts');
    await convert({ folder, openOld: openStoredLog, openNew: openUnshared, logger, signal });
  }
  return SegmentStore.open({ folder, topics, partitions });
}

/** What opens the store of a log again that this process has open: in its writer thread. */
export async function storeOpener({ folder, segmentBytes }: WriterData): Promise<() => DeletingStore> {
  const { SegmentStore } = await import('../segments/segment-store.ts');
  return () => SegmentStore.open({ folder, topics: [], partitions: undefined, segmentBytes });
}
