/**
 * Converts a log in LMDB into one of segments, in its folder. Offsets, times, notes and the bytes of records stay as they
 * are. The segments are written into a folder of their own, compared, and flushed. Then `data.mdb` gets another name: up to
 * there a conversion that did not end begins again, and from there on it is only moved into place.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import { expectRoom } from '../../runtime/free-space.ts';
import type { Logger } from '../../runtime/logger.ts';
import { LOST_AND_FOUND } from '../../runtime/private-folder.ts';
import { flushFolder } from '../flush-folder.ts';
import { compareLogs, copyLog, type StoredLog } from './copy-log.ts';
import { damaged, failureOf } from './errors.ts';
import type { LogStore } from './store.ts';

const OLD_FILE = 'data.mdb';
/** The log as it was, once it is converted. Nothing reads it any more. */
export const CONVERTED_FILE = 'data.mdb.converted';
/** The folder of a copy that is not in place yet. */
const COPY_FOLDER = 'converting';
/** What LMDB, or an opener of it, leaves beside its file. */
const BESIDE_OLD_FILE = /^(?:lock\.mdb|new-[0-9a-f]{16}\.mdb(?:-lock)?)$/;
const LOCK_NAME = /^\.lock/;

const REPORT_EVERY_MS = 5_000;

export interface ConversionParts {
  readonly folder: string;
  /** Opens the log in LMDB, once its file is checked. */
  readonly openOld: (folder: string) => StoredLog;
  /** Opens a log of segments, and creates it or the topics that it lacks. */
  readonly openNew: (folder: string, topics: readonly string[], partitions: number | undefined) => LogStore;
  readonly logger?: Pick<Logger, 'info'> | undefined;
  /** Ends it, with `STOPPING`: the log stays as it is. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether a folder holds a log in LMDB, or one that is not wholly converted. */
export function isToBeConverted(folder: string): boolean {
  return existsSync(join(folder, OLD_FILE)) || existsSync(join(folder, COPY_FOLDER));
}

/**
 * To be called before anybody of this process opens the log.
 *
 * @throws TidemarkError, and leaves the log as it is: `LOG_DAMAGED` where a record of it is lost; `LOG_UNAVAILABLE` where the
 *   disk has no room for a second one; `LOG_FOREIGN` where the folder holds anything else; `FOLDER_IN_USE`; `STOPPING`.
 */
export async function convert(parts: ConversionParts): Promise<void> {
  const folder = resolve(parts.folder);
  const lock = lockFolder(folder);
  try {
    if (existsSync(join(folder, OLD_FILE))) await copyIntoFolder({ ...parts, folder });
    await moveCopy(folder);
    parts.logger?.info({ folder, kept: CONVERTED_FILE }, 'the event log is converted');
  } finally {
    lock.release();
  }
}

async function copyIntoFolder(parts: ConversionParts): Promise<void> {
  const { folder } = parts;
  const [oldFile, copyFolder] = [join(folder, OLD_FILE), join(folder, COPY_FOLDER)];
  refuseOthers(folder);
  try {
    rmSync(copyFolder, { recursive: true, force: true });
    expectRoom(folder, 'LOG_UNAVAILABLE', statSync(oldFile).size);
    mkdirSync(copyFolder, { mode: 0o700 });
    await copyAndCompare(parts, copyFolder);
    await flushFolder(copyFolder);
    await flushFolder(folder);
  } catch (error) {
    rmSync(copyFolder, { recursive: true, force: true });
    const { code, message } = failureOf(error, 'to be converted');
    const whole = `the event log in ${folder} is not converted, and is left as it is: ${message}`;
    throw new TidemarkError(code, whole, { cause: error });
  }
  renameSync(oldFile, join(folder, CONVERTED_FILE));
  await flushFolder(folder);
}

function refuseOthers(folder: string): void {
  const others = readdirSync(folder).filter((name) => {
    const isOwn = name === OLD_FILE || name === COPY_FOLDER || name === LOST_AND_FOUND;
    return !isOwn && !BESIDE_OLD_FILE.test(name) && !LOCK_NAME.test(name);
  });
  if (others.length === 0) return;
  const some = others.slice(0, 3).join(', ');
  throw new TidemarkError(
    'LOG_FOREIGN',
    `${folder} holds other files (${some}) beside the ${OLD_FILE} that is to be converted`,
  );
}

async function copyAndCompare(
  { folder, openOld, openNew, logger, signal }: ConversionParts,
  copyFolder: string,
): Promise<void> {
  const old = openOld(folder);
  try {
    // A topic may have another number of partitions than those before it.
    for (const { name, partitions } of old.layout.topics) await openNew(copyFolder, [name], partitions).close();
    const report = reporter(old, (done) => logger?.info({ folder, ...done }, 'converting the event log'));
    const goOn = (): void => {
      if (signal?.aborted === true) throw new TidemarkError('STOPPING', 'the process is stopping');
    };
    const copied = (records: number): void => {
      goOn();
      report(records);
    };
    await withStore(openNew(copyFolder, [], undefined), (copy) => copyLog(old, copy, copied));
    await withStore(openNew(copyFolder, [], undefined), (copy) => compareLogs(old, copy, goOn));
  } finally {
    old.close();
  }
}

async function withStore(store: LogStore, work: (store: LogStore) => Promise<void>): Promise<void> {
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** Reports at once, and then every few seconds. Returns what is told the records of each step. */
function reporter(
  { ends }: StoredLog,
  report: (done: { readonly records: number; readonly of: number }) => void,
): (records: number) => void {
  const of = ends.reduce((sum, end) => sum + end, 0);
  let records = 0;
  let reportedAt = performance.now();
  report({ records, of });
  return (more) => {
    records += more;
    if (performance.now() < reportedAt + REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    report({ records, of });
  };
}

/** Moves the files of a copy that is whole to where the log is. */
async function moveCopy(folder: string): Promise<void> {
  const names = readdirSync(folder);
  if (!names.includes(COPY_FOLDER)) return;
  if (!names.includes(CONVERTED_FILE)) throw damaged(`${folder} has lost its ${OLD_FILE} while it was converted`);
  const copyFolder = join(folder, COPY_FOLDER);
  for (const name of readdirSync(copyFolder)) {
    if (!LOCK_NAME.test(name)) renameSync(join(copyFolder, name), join(folder, name));
  }
  await flushFolder(folder);
  for (const name of names) if (BESIDE_OLD_FILE.test(name)) rmSync(join(folder, name), { force: true });
  rmSync(copyFolder, { recursive: true, force: true });
  await flushFolder(folder);
}
