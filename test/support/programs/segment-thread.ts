/**
 * A worker thread with a log of segments open. It reads all records of a topic and posts how far it has come, in each
 * partition and in all; or it begins a commit and stays in the middle of it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openEventLog } from '../../../services/event-log/open.ts';
import { NODE_FILES } from '../../../services/event-log/embedded/segments/files.ts';
import { SegmentStore } from '../../../services/event-log/embedded/segments/segment-store.ts';

export interface SegmentTask {
  readonly folder: string;
  readonly topic: string;
  /** How many records to read. Left out: it begins a commit. */
  readonly read?: number;
}

export interface SegmentNews {
  /** The values that were read since the last news. */
  readonly values: readonly string[];
  /** The offset to read next, of each partition that had records. */
  readonly next: ReadonlyMap<number, number>;
}

const { folder, topic, read } = workerData as SegmentTask;
if (read === undefined) stayInCommit();
else await readAll(read);

async function readAll(count: number): Promise<void> {
  const log = await openEventLog(`log:${folder}`, { topics: [topic] });
  const reader = await log.openReader({ group: 'thread', topics: [topic], start: () => Promise.resolve([]) });
  for (let left = count; left > 0;) {
    const polled = await reader.poll({ maxRecords: 200, maxBytes: 2 ** 20, maxWaitMs: 1_000 });
    const values = polled.flatMap(({ records }) => records.map(({ value }) => Buffer.from(value).toString()));
    const next = new Map(polled.map(({ partition, records }) => [partition, Number(records.at(-1)!.offset) + 1]));
    left -= values.length;
    parentPort?.postMessage({ values, next } satisfies SegmentNews);
  }
  await log.close();
}

function stayInCommit(): void {
  const endless = new Int32Array(new SharedArrayBuffer(4));
  const flush = (): void => {
    parentPort?.postMessage('in the middle');
    Atomics.wait(endless, 0, 0);
  };
  const stuck = SegmentStore.open({ folder, topics: [topic], partitions: undefined, files: { ...NODE_FILES, flush } });
  stuck.transact((transaction) => transaction.putNote('unfinished', true));
}
