/** The log in which messages wait: an embedded one, of one partition. A message's topic stands before its key. */
import type { AppendQueue } from '../embedded/append-queue.ts';
import type { LogWriter } from '../embedded/log-writer.ts';
import type { SegmentStore } from '../embedded/segments/segment-store.ts';
import type { NewRecord } from '../event-log.ts';

const TOPIC = 'spool';

/** The log, opened: read by this thread, and written by one of its own. */
export interface SpoolLog {
  readonly store: SegmentStore;
  readonly writer: LogWriter;
  readonly appends: AppendQueue;
}

export interface SpoolLogs {
  /** Opens the log in a folder, or creates it. Blocks. @throws TidemarkError as `SegmentStore.open`. */
  open(folder: string, segmentBytes: number): SpoolLog;
  /** The bytes that a record takes. */
  bytesOf(record: NewRecord): number;
}

/** Loads the embedded log, which a process without a spool need not have. */
export async function loadSpoolLogs(): Promise<SpoolLogs> {
  const [{ AppendQueue }, { LogWriter }, { SegmentStore }, { chunkBytesOf }] = await Promise.all([
    import('../embedded/append-queue.ts'),
    import('../embedded/log-writer.ts'),
    import('../embedded/segments/segment-store.ts'),
    import('../embedded/segments/chunk.ts'),
  ]);
  const open = (folder: string, segmentBytes: number): SpoolLog => {
    const store = SegmentStore.open({ folder, topics: [TOPIC], partitions: 1, segmentBytes });
    const writer = new LogWriter({ folder, segmentBytes }, (threadId) => store.threadEnded(threadId));
    const appends = new AppendQueue(store.layout, (request) => writer.ask(request));
    return { store, writer, appends };
  };
  return { open, bytesOf: chunkBytesOf };
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
