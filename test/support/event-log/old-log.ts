import type { EventLog, Position } from '../../../services/event-log/event-log.ts';
import { positionAfter } from '../../../services/event-log/identity.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { nameOf } from '../../../services/event-log/partition.ts';
import { record } from './event-log-records.ts';

export const TOPICS = ['t', 'u', 'v'];
const GROUP = 'readers';

export interface LogContent {
  /** The key, the value and the time of each record, by `topic/partition@offset`. */
  readonly records: ReadonlyMap<string, string>;
  /** What a group has committed. */
  readonly committed: readonly Position[];
}

/**
 * Makes a log in LMDB with this number of records, appended one by one and together, a group that has committed, a topic
 * without records, and topics that differ in their number of partitions.
 */
export async function oldLog(folder: string, count: number, padding = ''): Promise<LogContent> {
  const first = await openEventLog(`lmdb:${folder}`, { topics: ['t'], partitions: 3 });
  await first.close();
  const second = await openEventLog(`lmdb:${folder}`, { topics: ['u'], partitions: 2 });
  await second.close();
  const log = await openEventLog(`lmdb:${folder}`, { topics: TOPICS });
  for (let i = 0; i < count;) {
    const size = Math.min(1 + (i % 20), count - i);
    const batch = Array.from({ length: size }, (_, j) => {
      return record((i + j) % 3 === 0 ? 'u' : 't', `key-${(i + j) % 40}`, `value-${i + j} ${padding}`);
    });
    await log.append(batch);
    i += size;
  }
  await commitSome(log);
  await log.close();
  return contentIn(`lmdb:${folder}`);
}

/** Commits the end of the first piece of two partitions. */
async function commitSome(log: EventLog): Promise<void> {
  const reader = await log.openReader({ group: GROUP, topics: ['t', 'u'], start: () => Promise.resolve([]) });
  const polled = await reader.poll({ maxRecords: 40, maxBytes: 2 ** 20, maxWaitMs: 10_000 });
  await reader.commit(polled.slice(0, 2).map((piece) => positionAfter(piece, piece.records.at(-1)!)));
  await reader.close();
}

/** Everything that the log of a URL holds. */
export async function contentIn(url: string): Promise<LogContent> {
  const log = await openEventLog(url, { topics: TOPICS });
  try {
    const ends = await log.ends(TOPICS);
    const ranges = ends.map(({ topic, partition, offset }) => ({ topic, partition, from: 0n, to: offset }));
    const records = new Map<string, string>();
    for await (const { records: piece, ...at } of log.scan(ranges)) {
      for (const { offset, key, value, appendedAtMs } of piece) {
        records.set(`${nameOf(at)}@${offset}`, `${text(key)} ${text(value)} ${appendedAtMs}`);
      }
    }
    return { records, committed: await log.committed(GROUP) };
  } finally {
    await log.close();
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
