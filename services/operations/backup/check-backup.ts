/** Reads every file of a folder of backups, and says whether all is as it was written. */
import type { CommandCall } from '../../runtime/command.ts';
import { addedUp } from './back-up.ts';
import { expectFiles, manifestOf } from './backup-folder.ts';
import { filesOf, type Manifest } from './manifest.ts';
import { recordsOfFile } from './read-log.ts';
import { readLines } from './rows-file.ts';
import { expectTables } from './tables.ts';

/** What a folder holds, as plain JSON. */
export interface CheckedBackup {
  readonly folder: string;
  /** Oldest first. */
  readonly backups: readonly { readonly number: number; readonly at: string; readonly version: string }[];
  readonly records: number;
  readonly files: number;
  readonly bytes: number;
}

/** @throws TidemarkError `BACKUP_DAMAGED`, naming the file; `BACKUP_FOREIGN`; `BACKUP_UNAVAILABLE`. */
export async function checkBackup(
  folder: string,
  call: Pick<CommandCall, 'report' | 'signal'>,
): Promise<CheckedBackup> {
  const manifest = await manifestOf(folder);
  await checkFiles(folder, manifest, call);
  const files = filesOf(manifest);
  return {
    folder,
    backups: manifest.backups.map(({ number, at, version }) => ({ number, at, version })),
    records: addedUp(manifest.log, ({ records }) => records),
    files: files.length,
    bytes: addedUp(files, ({ bytes }) => bytes),
  };
}

/** @throws TidemarkError as `checkBackup`. */
export async function checkFiles(
  folder: string,
  manifest: Manifest,
  { report, signal }: Pick<CommandCall, 'report' | 'signal'>,
): Promise<void> {
  await expectTables(folder, manifest.backups);
  await expectFiles(folder, filesOf(manifest));
  const total = addedUp(manifest.log, ({ records }) => records);
  let done = 0;
  for (const file of manifest.log) {
    for await (const records of recordsOfFile(folder, file)) {
      signal.throwIfAborted();
      done += records.length;
      report({ phase: 'checking', done, total, unit: 'records' });
    }
  }
  const rowsFiles = manifest.backups.flatMap(({ tables, history }) => [...tables, ...history]);
  for (const file of [...rowsFiles, ...(manifest.forgotten ?? [])])
    for await (const _ of readLines(folder, file, LINES_AT_ONCE)) signal.throwIfAborted();
}

const LINES_AT_ONCE = 10_000;
