/** A worker thread that reads a group from a log, or appends to it, and posts what it did. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Appended } from '../../../services/event-log/event-log.ts';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { record } from '../event-log/event-log-records.ts';

export interface ThreadTask {
  readonly folder: string;
  readonly topic: string;
  readonly group: string;
  /** How many records to read before their values are posted. */
  readonly read?: number;
  /** How many records to append before their coordinates are posted. */
  readonly append?: number;
}

export type ThreadNews =
  { readonly holding: true } | { readonly read: readonly string[] } | { readonly appended: readonly Appended[] };

const { folder, topic, group, read = 0, append = 0 } = workerData as ThreadTask;
const log = await EmbeddedEventLog.open({ folder, topics: [topic] });
if (append > 0) await appendAll();
if (read > 0) await readAll();
await log.close();

function tell(news: ThreadNews): void {
  parentPort?.postMessage(news);
}

async function appendAll(): Promise<void> {
  const appended = await Promise.all(
    Array.from({ length: append }, (_, i) => log.append([record(topic, `thread-${i}`, `thread-${i}`)])),
  );
  tell({ appended: appended.flat() });
}

async function readAll(): Promise<void> {
  const reader = await log.openReader({ group, topics: [topic], start: () => Promise.resolve([]) });
  const values: string[] = [];
  while (reader.assigned().length === 0) await reader.poll({ maxRecords: 1, maxBytes: 0, maxWaitMs: 20 }).then(keep);
  tell({ holding: true });
  while (values.length < read) await reader.poll({ maxRecords: 500, maxBytes: 2 ** 20, maxWaitMs: 1_000 }).then(keep);
  tell({ read: values });

  function keep(polled: Awaited<ReturnType<typeof reader.poll>>): void {
    values.push(...polled.flatMap(({ records }) => records.map(({ value }) => Buffer.from(value).toString())));
  }
}
