/** The job `backup`: adds to a folder what is new since the last run into it. */
import { resolve } from 'node:path';
import type { EventLog } from '../../event-log/event-log.ts';
import { TOPICS } from '../../messages/message.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { JobArguments } from '../jobs/job.ts';
import type { CommandCall } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { programVersion } from '../../runtime/version.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Database } from '../../stores/database/database.ts';
import { expectFiles, expectFree, openFolder, removeUnnamed } from './backup-folder.ts';
import { dumpHistory } from './history.ts';
import { type BackupResult, lastBackup } from './last-backup.ts';
import { copyRanges, expectSameLog, type LogRange, rangesToCopy, withListedBlank } from './log-files.ts';
import {
  type BackupEntry,
  EMPTY_MANIFEST,
  filesOf,
  type Manifest,
  type EndOfPartition,
  writeManifest,
} from './manifest.ts';
import { dumpForgotten, dumpTables } from './tables.ts';

export interface BackupParts {
  readonly log: Pick<EventLog, 'ends' | 'beginnings' | 'scan'>;
  readonly database: Database;
  readonly analytics: Pick<AnalyticsStore, 'keptHistory'>;
  /** How many backups a folder keeps. */
  readonly keep: number;
  /** Whether a schema registry gives the ids of schemas. */
  readonly hasRegistry: boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** What a record takes in a folder that has none yet: 73 were measured. */
const BYTES_OF_RECORD = 200;

/**
 * Takes `folder`, an absolute path on this machine, and `again`, whether it may begin anew where a backup was before and
 * is not found. The log is read last, so no table knows more than it has. What a kill leaves is completed by the next run:
 * nothing counts before the manifest names it.
 *
 * @throws TidemarkError `BACKUP_UNAVAILABLE`, `BACKUP_DAMAGED`, `BACKUP_FOREIGN`, `FOLDER_IN_USE`; what the stores throw.
 */
export async function backUp(
  parts: BackupParts,
  { folder: given, again = false }: JobArguments['backup'],
  call: CommandCall,
): Promise<BackupResult> {
  const folder = resolve(given);
  try {
    const result = await backUpInto(parts, folder, again, call);
    parts.logger.info(result, 'backed up');
    return result;
  } catch (error) {
    // Nobody waits for one that the schedule began.
    if (!call.signal.aborted) parts.logger.warn({ err: error, folder }, 'a backup failed');
    throw error;
  }
}

async function backUpInto(
  parts: BackupParts,
  folder: string,
  again: boolean,
  call: CommandCall,
): Promise<BackupResult> {
  const startedMs = performance.now();
  const { manifest, lock } = await openFolder(folder);
  try {
    if (manifest === undefined && !again) await expectNoneBefore(parts.database, folder);
    const made = await addBackup(parts, folder, manifest ?? EMPTY_MANIFEST, call);
    return { folder, ...made, took_ms: Math.round(performance.now() - startedMs) };
  } finally {
    lock.release();
  }
}

/** A folder that is not mounted is an empty one: a whole backup would go to the wrong disk, unnoticed. */
async function expectNoneBefore(database: Database, folder: string): Promise<void> {
  const last = await lastBackup(database, folder);
  if (last === null) return;
  const message = `${folder} had a backup of ${last.result.at}, and has none now. Is it mounted? To begin anew there, use --again.`;
  throw new TidemarkError('BACKUP_UNAVAILABLE', message);
}

type Made = Omit<BackupResult, 'folder' | 'took_ms'>;

async function addBackup(parts: BackupParts, folder: string, before: Manifest, call: CommandCall): Promise<Made> {
  const { log, database, analytics } = parts;
  const { signal } = call;
  await expectFiles(folder, filesOf(before));
  await removeUnnamed(folder, before);
  const beginnings = await log.beginnings(TOPICS);
  await expectSameLog(log, before.log, await endsOf(log), signal);
  await expectFree(folder, bytesOf(before, rangesToCopy(before.log, beginnings, await endsOf(log))));

  const number = (before.backups.at(-1)?.number ?? 0) + 1;
  const name = String(number).padStart(6, '0');
  const { atMs, schema, tables } = await dumpTables(database, folder, name, signal);
  const history = await dumpHistory(analytics.keptHistory(), folder, name, signal);

  const ends = await endsOf(log);
  const ranges = rangesToCopy(before.log, beginnings, ends);
  const replaced = new Set(ranges.map((range) => range.replaced));
  const left = before.log.filter((file) => !replaced.has(file));
  const kept = await withListedBlank({ database, folder, number, signal }, left);
  const files = await copyRanges({ log, folder, signal, copied: counting(ranges, call) }, ranges);
  const forgotten = await dumpForgotten(database, folder, name, signal);
  const at = formatMs(atMs);
  const entry: BackupEntry = {
    number,
    at,
    version: programVersion(),
    schema,
    hasRegistry: parts.hasRegistry,
    topics: topicsOf(ends),
    ends,
    tables,
    history,
  };
  const manifest = {
    ...before,
    forgotten,
    log: [...kept, ...files],
    backups: [...before.backups, entry].slice(-parts.keep),
  };
  await writeManifest(folder, manifest);
  await removeUnnamed(folder, manifest);
  return { number, at, ...sizesOf(before, manifest, ranges), kept: manifest.backups.length };
}

async function endsOf(log: Pick<EventLog, 'ends'>): Promise<readonly EndOfPartition[]> {
  const ends = await log.ends(TOPICS);
  return ends.map(({ topic, partition, offset }) => ({ topic, partition, end: Number(offset) }));
}

function topicsOf(ends: readonly EndOfPartition[]): BackupEntry['topics'] {
  const counts = Map.groupBy(ends, ({ topic }) => topic);
  return [...counts].map(([name, partitions]) => ({ name, partitions: partitions.length }));
}

/** What a run is expected to write. */
function bytesOf(before: Manifest, ranges: readonly LogRange[]): number {
  const [bytes, records] = [addedUp(before.log, (file) => file.bytes), addedUp(before.log, (file) => file.records)];
  const ofRecord = records === 0 ? BYTES_OF_RECORD : (bytes / records) * 1.25;
  const { tables = [], history = [] } = before.backups.at(-1) ?? {};
  return (
    addedUp(ranges, ({ from, end }) => end - from) * ofRecord + addedUp([...tables, ...history], (file) => file.bytes)
  );
}

function sizesOf(before: Manifest, after: Manifest, ranges: readonly LogRange[]) {
  const known = new Set(filesOf(before).map(({ file }) => file));
  return {
    records: addedUp(ranges, ({ from, end, replaced }) => end - (replaced?.end ?? from)),
    records_total: addedUp(after.log, (file) => file.records),
    bytes: addedUp(filesOf(after), ({ file, bytes }) => (known.has(file) ? 0 : bytes)),
    bytes_total: addedUp(filesOf(after), ({ bytes }) => bytes),
  };
}

function counting(ranges: readonly LogRange[], { report }: CommandCall): (records: number) => void {
  const total = addedUp(ranges, ({ from, end }) => end - from);
  let done = 0;
  report({ done, total, unit: 'records' });
  return (records) => {
    done += records;
    report({ done, total, unit: 'records' });
  };
}

export function addedUp<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
