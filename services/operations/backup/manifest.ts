/** What a folder of backups holds: `manifest.json`, which is written last. What it does not name is not part of it. */
import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlank } from '../../event-log/blank.ts';
import type { LogRecord } from '../../event-log/event-log.ts';
import { flushFolder } from '../../event-log/flush-folder.ts';
import { identityOf } from '../../event-log/identity.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { wrongInManifest } from './manifest-schema.ts';
import { damaged, openStored, readingFailure, type StoredFile, unavailable } from './stored-file.ts';

export const MANIFEST_FILE = 'manifest.json';
/** One that is being written. */
export const NEW_MANIFEST_FILE = 'manifest.json.new';

/** Some 300 bytes name a file of 64 MiB. */
const MAX_MANIFEST_BYTES = 128 * 2 ** 20;

/** A version higher than the program's own is refused. */
const MANIFEST_FORMAT = 1;

export interface Manifest {
  readonly format: number;
  /** Newest last; those of a partition one after the other, without a gap. */
  readonly log: readonly LogFile[];
  /** Oldest first, each with tables of its own; all with the records of `log` up to their ends. */
  readonly backups: readonly BackupEntry[];
  /**
   * The people who were forgotten, and the records of the log that are blank therefore, as the last run found them: it
   * holds for all backups of the folder. Absent where an earlier version made the last one.
   */
  readonly forgotten?: readonly RowsFile[] | undefined;
}

/** A range of a partition: from `first` to before `end`. */
export interface LogFile extends StoredFile {
  readonly topic: string;
  readonly partition: number;
  readonly first: number;
  readonly end: number;
  readonly records: number;
  /** That of the last record (`identityOfLast`). It tells another log from this one. */
  readonly identity: string;
  readonly lastOffset: number;
  /** How many of the records are blank; none where it is absent. */
  readonly blank?: number;
}

/** One backup: the installation as it was at a moment. */
export interface BackupEntry {
  /** From 1. */
  readonly number: number;
  /** When its tables were read; ISO-8601. Its log goes on until its end was looked at, which is later. */
  readonly at: string;
  /** That of the program that made it. */
  readonly version: string;
  /** The number of the last migration of the database. */
  readonly schema: number;
  /** Whether the ids of schemas in the records are those of a registry, not of the program. */
  readonly hasRegistry: boolean;
  readonly topics: readonly { readonly name: string; readonly partitions: number }[];
  readonly ends: readonly EndOfPartition[];
  /** In an order in which each can be filled. */
  readonly tables: readonly RowsFile[];
  /** The history of audiences. */
  readonly history: readonly RowsFile[];
}

export interface EndOfPartition {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
}

/** The rows of a table, each a line of JSON. */
export interface RowsFile extends StoredFile {
  readonly table: string;
  readonly rows: number;
}

export const EMPTY_MANIFEST: Manifest = { format: MANIFEST_FORMAT, log: [], backups: [] };

/**
 * Undefined where the folder has none.
 *
 * @throws TidemarkError `BACKUP_DAMAGED`; `BACKUP_FOREIGN` where a newer version wrote it; `BACKUP_UNAVAILABLE`.
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST_FILE);
  const text = await manifestText(path);
  if (text === undefined) return undefined;
  const { sha256, ...manifest } = parsedManifest(path, text);
  if (manifest.format > MANIFEST_FORMAT) {
    const message = `${path} is of format ${manifest.format}; this version of Tidemark reads up to ${MANIFEST_FORMAT}.`;
    throw new TidemarkError('BACKUP_FOREIGN', message);
  }
  if (sha256 !== digestOf(manifest)) throw damaged(`${path} has changed`);
  const wrong = wrongInManifest(manifest);
  if (wrong !== undefined) throw damaged(`${path} is not one that a backup wrote: ${wrong}`);
  return manifest;
}

async function manifestText(path: string): Promise<string | undefined> {
  try {
    await using file = await openStored(path);
    const { size } = await file.stat();
    if (size > MAX_MANIFEST_BYTES) throw damaged(`${path} has ${size} bytes`);
    return await file.readFile('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw readingFailure(path, error);
  }
}

/** Puts it in place of the one before, by one rename. @throws TidemarkError `BACKUP_UNAVAILABLE`. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, NEW_MANIFEST_FILE);
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ sha256: digestOf(manifest), ...manifest })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, join(folder, MANIFEST_FILE));
    await flushFolder(folder);
  } catch (error) {
    throw unavailable(`cannot write ${path}`, error);
  }
}

/** All that the manifest names. Pure. */
export function filesOf({ log, backups, forgotten = [] }: Manifest): readonly StoredFile[] {
  return [...log, ...backups.flatMap(({ tables, history }) => [...tables, ...history]), ...forgotten];
}

/** The identity of the last record of a file; '' without one, and where it is blank. Pure. */
export function identityOfLast(last: LogRecord | undefined): string {
  return last === undefined || isBlank(last) ? '' : identityOf(last);
}

function parsedManifest(path: string, text: string): Manifest & { readonly sha256?: string } {
  try {
    const read = JSON.parse(text) as Partial<Manifest> | null;
    if (typeof read?.format === 'number') return read as Manifest;
  } catch (error) {
    throw damaged(`${path} is not JSON`, error);
  }
  throw damaged(`${path} is no manifest`);
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
