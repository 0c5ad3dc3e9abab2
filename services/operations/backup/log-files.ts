/** The files of the log in a backup: new records are copied into them, and those of forgotten people are made blank. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { blankRecord } from '../../event-log/blank.ts';
import type { EventLog, LogCoordinates, LogRecord, TopicPartition } from '../../event-log/event-log.ts';
import { flushFolder } from '../../event-log/flush-folder.ts';
import { identityOf } from '../../event-log/identity.ts';
import { nameOf } from '../../event-log/partition.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { blankedBetween } from '../../stores/erasures/blanked-records.ts';
import { LOG_FOLDER } from './backup-folder.ts';
import { type EndOfPartition, identityOfLast, type LogFile } from './manifest.ts';
import { recordsOfFile } from './read-log.ts';
import { writeRecords } from './record-file.ts';
import { unavailable } from './stored-file.ts';

/** The bytes of keys and values after which a file ends. */
const FILE_BYTES = 64 * 2 ** 20;
/** A last file that is smaller is written anew with what follows: so a backup an hour does not leave a file an hour. */
const SMALL_FILE_BYTES = 2 ** 20;

/** The part of one partition that is to be copied. */
export interface LogRange extends TopicPartition {
  readonly from: number;
  readonly end: number;
  /** The file that the new ones replace. */
  readonly replaced: LogFile | undefined;
}

/** The last file of each partition, by its name. Pure. */
function lastFiles(files: readonly LogFile[]): ReadonlyMap<string, LogFile> {
  return new Map(files.map((file) => [nameOf(file), file]));
}

/** Pure. */
export function rangesToCopy(
  files: readonly LogFile[],
  beginnings: readonly LogCoordinates[],
  ends: readonly EndOfPartition[],
): readonly LogRange[] {
  const last = lastFiles(files);
  const begun = new Map(beginnings.map((one) => [nameOf(one), Number(one.offset)]));
  return ends.flatMap(({ topic, partition, end }) => {
    const name = nameOf({ topic, partition });
    const [before, beginning] = [last.get(name), begun.get(name) ?? 0];
    const from = Math.max(before?.end ?? 0, beginning);
    if (from >= end) return [];
    const isSmall = before !== undefined && before.bytes < SMALL_FILE_BYTES && before.first >= beginning;
    return [{ topic, partition, from: isSmall ? before.first : from, end, replaced: isSmall ? before : undefined }];
  });
}

/**
 * Checks that the files were copied from this log. A record that is no longer there proves nothing.
 *
 * @throws TidemarkError `BACKUP_FOREIGN`; what the log throws.
 */
export async function expectSameLog(
  log: Pick<EventLog, 'scan'>,
  files: readonly LogFile[],
  ends: readonly EndOfPartition[],
  signal: AbortSignal,
): Promise<void> {
  const last = lastFiles(files);
  const known = new Map(ends.map((one) => [nameOf(one), one.end]));
  for (const [name, { end }] of last) {
    const now = known.get(name) ?? 0;
    if (now < end) throw ofAnotherLog(`${name} ends at ${now}, and the backup has it up to ${end}`);
  }
  const ranges = [...last.values()].map(({ topic, partition, lastOffset }) => {
    return { topic, partition, from: BigInt(lastOffset), to: BigInt(lastOffset) + 1n };
  });
  for await (const { records, ...at } of log.scan(ranges, { signal })) {
    const file = last.get(nameOf(at));
    const [record] = records;
    if (record === undefined || file === undefined || file.identity === '') continue;
    if (record.offset !== BigInt(file.lastOffset) || identityOf(record) === file.identity) continue;
    throw ofAnotherLog(`${nameOf(at)} has another record at offset ${record.offset}`);
  }
}

function ofAnotherLog(how: string): TidemarkError {
  const message = `The folder has backups of another event log: ${how}. Choose an empty folder.`;
  return new TidemarkError('BACKUP_FOREIGN', message);
}

export interface CopyParts {
  readonly log: Pick<EventLog, 'scan'>;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called with the records of each piece. */
  readonly copied: (records: number) => void;
}

/** Copies these ranges, and flushes the files. @throws TidemarkError `BACKUP_UNAVAILABLE`; what the log throws. */
export async function copyRanges(parts: CopyParts, ranges: readonly LogRange[]): Promise<readonly LogFile[]> {
  const files: LogFile[] = [];
  for (const range of ranges) {
    for (let { from } = range; from < range.end;) {
      const file = await copyFile(parts, { ...range, from });
      files.push(file);
      from = file.end;
    }
  }
  const path = join(parts.folder, LOG_FOLDER);
  await flushFolder(path).catch((error: unknown) => {
    throw unavailable(`cannot write ${path}`, error);
  });
  return files;
}

/** Copies the range, or the beginning of it. */
async function copyFile(
  { log, folder, signal, copied }: CopyParts,
  { topic, partition, from, end }: LogRange,
): Promise<LogFile> {
  const range = { topic, partition, from: BigInt(from), to: BigInt(end) };
  const pieces = async function* (): AsyncGenerator<readonly LogRecord[]> {
    for await (const { records } of log.scan([range], { signal, withBlank: true })) {
      copied(records.length);
      yield records;
    }
  };
  const name = `${topic}-${partition}-${padded(from)}`;
  const path = `${LOG_FOLDER}/${name}.new`;
  const { stored, records, blank, bytes, last } = await writeRecords(folder, path, pieces(), signal, FILE_BYTES);
  const fileEnd = bytes >= FILE_BYTES && last !== undefined ? Number(last.offset) + 1 : end;
  const file = `${LOG_FOLDER}/${name}-${padded(fileEnd - 1)}.zst`;
  await rename(join(folder, path), join(folder, file)).catch((error: unknown) => {
    throw unavailable(`cannot write ${join(folder, file)}`, error);
  });
  const lastOffset = last === undefined ? from : Number(last.offset);
  const identity = identityOfLast(last);
  return { ...stored, file, topic, partition, first: from, end: fileEnd, records, identity, lastOffset, blank };
}

export interface BlankParts {
  readonly database: Queryable;
  readonly folder: string;
  /** That of the run: a file that is written anew is named after it. */
  readonly number: number;
  readonly signal: AbortSignal;
}

/**
 * The files as they are to be once the people of some messages were forgotten: one with records that are listed as blank
 * and are not blank in it is written anew under another name. The one before goes with the manifest that names it.
 *
 * @throws TidemarkError `BACKUP_DAMAGED`, `BACKUP_UNAVAILABLE`; what the database throws.
 */
export async function withListedBlank(parts: BlankParts, files: readonly LogFile[]): Promise<readonly LogFile[]> {
  const kept: LogFile[] = [];
  for (const file of files) {
    const offsets = await blankedBetween(parts.database, file, file.first, file.end);
    kept.push(offsets.length > (file.blank ?? 0) ? await writtenAnew(parts, file, new Set(offsets)) : file);
  }
  return kept;
}

async function writtenAnew(
  { folder, number, signal }: BlankParts,
  file: LogFile,
  offsets: ReadonlySet<bigint>,
): Promise<LogFile> {
  const { topic, partition, first, end } = file;
  const pieces = async function* (): AsyncGenerator<readonly LogRecord[]> {
    for await (const records of recordsOfFile(folder, file))
      yield records.map((record) => (offsets.has(record.offset) ? blankRecord(record) : record));
  };
  const name = `${LOG_FOLDER}/${topic}-${partition}-${padded(first)}-${padded(end - 1)}-${padded(number)}.zst`;
  const { stored, blank, last } = await writeRecords(folder, name, pieces(), signal);
  return { ...file, ...stored, identity: identityOfLast(last), blank: Math.max(blank, offsets.size) };
}

/** Pure. */
function padded(offset: number): string {
  return String(offset).padStart(16, '0');
}
