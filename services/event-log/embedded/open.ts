import type { EventLogOptions } from '../event-log.ts';
import type { WriterData } from './requests.ts';
import type { DeletingStore, LogStore } from './store.ts';

/**
 * Opens the store in a folder. Where the folder is absent or empty, it creates a log there. It also creates the topics that
 * the log lacks.
 *
 * @throws TidemarkError `CONFIG_INVALID` where a topic has another number of partitions or the folder cannot be used;
 *   `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`, `FOLDER_IN_USE`.
 */
export async function openStore(folder: string, { topics, partitions }: EventLogOptions): Promise<LogStore> {
  const { SegmentStore } = await import('./segments/segment-store.ts');
  return SegmentStore.open({ folder, topics, partitions });
}

/** Returns a function that opens, in the writer thread, the store of a log that this process has open. */
export async function storeOpener({ folder, segmentBytes }: WriterData): Promise<() => DeletingStore> {
  const { SegmentStore } = await import('./segments/segment-store.ts');
  return () => SegmentStore.open({ folder, topics: [], partitions: undefined, segmentBytes });
}
