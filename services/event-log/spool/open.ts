/** The log in which messages wait: segments, of one partition. A message's topic stands before its key. */
import { AppendQueue } from '../embedded/append-queue.ts';
import { LogWriter } from '../embedded/log-writer.ts';
import type { NewRecord } from '../event-log.ts';
import type { SegmentStore } from '../segments/segment-store.ts';

const TOPIC = 'spool';

/** The log, opened: read by this thread, and written by one of its own. */
export interface SpoolLog {
  readonly store: SegmentStore;
  readonly writer: LogWriter;
  readonly appends: AppendQueue;
}

/** Opens the log in a folder, or creates it. Blocks. @throws TidemarkError as `SegmentStore.open`. */
export type OpenSpoolLog = (folder: string, segmentBytes: number) => SpoolLog;

export async function loadSegments(): Promise<OpenSpoolLog> {
  const { SegmentStore } = await import('../segments/segment-store.ts');
  return (folder, segmentBytes) => {
    const store = SegmentStore.open({ folder, topics: [TOPIC], partitions: 1, segmentBytes });
    const writer = new LogWriter({ folder, segmentBytes }, (threadId) => store.threadEnded(threadId));
    const appends = new AppendQueue(store.layout, (request) => writer.append(request));
    return { store, writer, appends };
  };
}

/** A message as it is stored. */
export function storedRecord({ topic, key, value }: NewRecord): NewRecord {
  const topicBytes = Buffer.byteLength(topic);
  const stored = Buffer.allocUnsafe(1 + topicBytes + key.length);
  stored.writeUInt8(topicBytes);
  stored.write(topic, 1);
  stored.set(key, 1 + topicBytes);
  return { topic: TOPIC, key: stored, value };
}

/** The message that was stored. */
export function spooledRecord({ key, value }: Pick<NewRecord, 'key' | 'value'>): NewRecord {
  const keyAt = 1 + (key[0] as number);
  return { topic: Buffer.from(key.subarray(1, keyAt)).toString(), key: key.subarray(keyAt), value };
}
