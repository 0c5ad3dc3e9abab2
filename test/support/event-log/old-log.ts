/**
 * Logs in LMDB that version 0.2.0 made (`test/event-log/lmdb/logs`), each with what that version read from it: records that
 * were appended one by one and together, small and large, a group that has committed, a topic without records, and topics
 * that differ in their number of partitions.
 */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Position } from '../../../services/event-log/event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { nameOf } from '../../../services/event-log/partition.ts';

export const TOPICS = ['t', 'u', 'v'];
const GROUP = 'readers';

export interface LogContent {
  /** The key, the value and the time of each record, by `topic/partition@offset`. */
  readonly records: ReadonlyMap<string, string>;
  /** What a group has committed. */
  readonly committed: readonly Position[];
}

/**
 * A `small` log has 600 records, every hundredth of 18 KB. A `large` one has 400 of 14 KB, more than a conversion copies in
 * one commit. Another program's database is `foreign`.
 */
export type OldLogName = 'small' | 'large' | 'foreign';

/** Puts a log into a folder, as version 0.2.0 leaves it. */
export async function putOldLog(folder: string, name: OldLogName = 'small'): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'data.mdb'), unzipped(`${name}.mdb.gz`));
  await writeFile(join(folder, 'lock.mdb'), '');
}

/** What version 0.2.0 read from a log. */
export function contentOfOldLog(name: OldLogName = 'small'): LogContent {
  const { records, committed } = JSON.parse(unzipped(`${name}.json.gz`).toString()) as {
    readonly records: readonly (readonly [string, string])[];
    readonly committed: readonly (Omit<Position, 'offset'> & { readonly offset: string })[];
  };
  return {
    records: new Map(records),
    committed: committed.map((position) => ({ ...position, offset: BigInt(position.offset) })),
  };
}

function unzipped(name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, '../../event-log/lmdb/logs', name)));
}

/** Everything that the log in a folder holds. */
export async function contentIn(folder: string): Promise<LogContent> {
  const log = await openEventLog(`log:${folder}`, { topics: TOPICS });
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
