/** Makes records blank in the files of a backup, which were copied before the people of their messages were forgotten. */
import { blankRecord, isBlank } from '../../event-log/blank.ts';
import type { LogRecord } from '../../event-log/event-log.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { blankedBetween } from '../../stores/erasures/blanked-records.ts';
import { LOG_FOLDER } from './backup-folder.ts';
import { padded } from './log-ranges.ts';
import { identityOfLast, type LogFile } from './manifest.ts';
import { recordsOfFile } from './read-log.ts';
import { encodeRecords } from './record-file.ts';
import { writeStored } from './stored-file.ts';

export interface BlankFilesParts {
  readonly database: Queryable;
  readonly folder: string;
  /** That of the run: a file that is written anew is named after it. */
  readonly number: number;
  readonly signal: AbortSignal;
}

/**
 * The files of the log as they are to be: one with records that are listed as blank and are not blank in it is written anew
 * under another name. The one before goes with the manifest that names it.
 *
 * @throws TidemarkError `BACKUP_DAMAGED`, `BACKUP_UNAVAILABLE`; what the database throws.
 */
export async function withListedBlank(parts: BlankFilesParts, files: readonly LogFile[]): Promise<readonly LogFile[]> {
  const kept: LogFile[] = [];
  for (const file of files) {
    const offsets = await blankedBetween(parts.database, file, file.first, file.end);
    kept.push(offsets.length > (file.blank ?? 0) ? await writtenAnew(parts, file, new Set(offsets)) : file);
  }
  return kept;
}

async function writtenAnew(
  { folder, number, signal }: BlankFilesParts,
  file: LogFile,
  offsets: ReadonlySet<bigint>,
): Promise<LogFile> {
  const { topic, partition, first, end } = file;
  const state: { blank: number; last: LogRecord | undefined } = { blank: 0, last: undefined };
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of recordsOfFile(folder, file)) {
      const records = piece.map((record) => (offsets.has(record.offset) ? blankRecord(record) : record));
      state.blank += records.filter(isBlank).length;
      state.last = records.at(-1);
      yield encodeRecords(records);
    }
  };
  const name = `${LOG_FOLDER}/${topic}-${partition}-${padded(first)}-${padded(end - 1)}-${padded(number)}.zst`;
  const stored = await writeStored(folder, name, pieces(), signal);
  return { ...file, ...stored, identity: identityOfLast(state.last), blank: Math.max(state.blank, offsets.size) };
}
