/** Forgets people in the files that imports over HTTP have: those that were uploaded, and the lines that were refused. */
import { type FileHandle, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../runtime/errors.ts';
import type { Database } from '../../stores/database/database.ts';
import { describeForeign } from '../import/beginning.ts';
import { readInput } from '../import/input.ts';
import { isFileId, uploadPath } from '../import/import-request.ts';
import { WantedIds } from '../../stores/erasures/wanted-ids.ts';

export interface ForgottenImports {
  /** Uploaded files that were deleted. */
  readonly uploads: number;
  /** Lines of reports that were overwritten. */
  readonly lines: number;
  /** Whether an uploaded file names somebody and stays, as an import that is not done reads it. */
  readonly hasUsed: boolean;
}

export interface ImportFilesParts {
  readonly database: Pick<Database, 'query'>;
  /** That of all imports. */
  readonly folder: string;
}

const REPORT = 'refused.ndjson';

/** How long after its last byte a file may still be on its way. */
const UPLOADING_MS = 60_000;

/**
 * Deletes the uploaded files in which one of these ids stands as a value of its own, and those that cannot be read, and
 * overwrites the refused lines that have one: a report stays as long as it is, since an import that goes on knows its length.
 * May be repeated.
 */
export async function forgetInImports(
  { database, folder }: ImportFilesParts,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ForgottenImports> {
  const found = { uploads: 0, lines: 0, hasUsed: false };
  const wanted = new WantedIds(ids);
  for (const name of ids.length === 0 ? [] : await readdir(folder).catch(() => [])) {
    signal.throwIfAborted();
    if (!isFileId(name)) found.lines += await forgetInReport(join(folder, name, REPORT), wanted);
    else if (await hasId(join(folder, name), uploadPath(folder, name), wanted, signal)) {
      if (await isUsed(database, name)) found.hasUsed = true;
      else {
        await rm(join(folder, name), { recursive: true, force: true });
        found.uploads += 1;
      }
    }
  }
  return found;
}

async function hasId(upload: string, path: string, wanted: WantedIds, signal: AbortSignal): Promise<boolean> {
  const name = await readFile(join(upload, 'name'), 'utf8').catch(() => '');
  const file = await open(path).catch(() => undefined);
  try {
    return wanted.isIn(name) || (file !== undefined && (await isInFile(file, wanted, signal)));
  } finally {
    await file?.close();
  }
}

type LookedAt = 'found' | 'not there' | 'no text';

async function isInFile(file: FileHandle, wanted: WantedIds, signal: AbortSignal): Promise<boolean> {
  const search = async (encoding: string | null = null): Promise<LookedAt> => {
    let isText = true;
    const chunks = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of readInput(file, { read: { bytes: 0 }, encoding, signal })) {
        isText &&= encoding !== null || isReadable(chunk);
        yield chunk;
      }
    };
    try {
      if (await wanted.isInAny(chunks())) return 'found';
      return isText ? 'not there' : 'no text';
    } catch (error) {
      if (!hasCode(error, 'IMPORT_UNREADABLE')) throw error;
      return 'no text';
    }
  };
  const found = new Set<LookedAt>([await search()]);
  if (found.has('no text')) for (const encoding of ['utf-16le', 'utf-16be']) found.add(await search(encoding));
  if (found.has('found') || found.has('not there')) return found.has('found');
  // It may be anybody's, unless the rest of it is on its way.
  return Date.now() - (await file.stat()).mtimeMs > UPLOADING_MS;
}

/** Whether a part of a file is text that is not UTF-16, where every other byte of Latin letters is zero. */
function isReadable(chunk: Buffer): boolean {
  return describeForeign(chunk) === undefined && !chunk.includes(0);
}

async function isUsed(database: Pick<Database, 'query'>, fileId: string): Promise<boolean> {
  const sql = `select 1 from jobs where kind = 'import' and state in ('queued', 'running') and position($1 in args) > 0 limit 1`;
  return (await database.query(sql, [fileId])).length > 0;
}

async function forgetInReport(path: string, wanted: WantedIds): Promise<number> {
  const file = await open(path, 'r+').catch(() => undefined);
  try {
    return file === undefined ? 0 : await overwriteLines(file, wanted);
  } finally {
    await file?.close();
  }
}

async function overwriteLines(file: FileHandle, wanted: WantedIds): Promise<number> {
  let [at, lines] = [0, 0];
  for await (const line of file.readLines({ autoClose: false, start: 0, encoding: 'latin1' })) {
    const entry = readEntry(line);
    if (entry !== undefined && isOf(entry, wanted)) {
      await file.write(forgottenLine(line, entry), at, 'latin1');
      lines += 1;
    }
    at += line.length + 1;
  }
  if (lines > 0) await file.datasync();
  return lines;
}

interface ReportEntry {
  readonly file?: string;
  readonly line: number;
  readonly errors: readonly object[];
  /** How long the whole line was, where the text is not all of it. */
  readonly length?: number;
  readonly text: string;
}

/** Undefined for one that is not written to its end: an import that goes on writes it again. */
function readEntry(line: string): ReportEntry | undefined {
  try {
    return JSON.parse(Buffer.from(line, 'latin1').toString()) as ReportEntry;
  } catch {
    return undefined;
  }
}

function isOf({ file = '', errors, text, length }: ReportEntry, wanted: WantedIds): boolean {
  return wanted.isIn(text, length !== undefined) || wanted.isIn(JSON.stringify([file, errors]));
}

/** It is as long as the line, and JSON too. */
function forgottenLine(line: string, { file, line: number }: ReportEntry): string {
  const short = JSON.stringify({ line: number, errors: [], text: '' });
  const full = Buffer.from(JSON.stringify({ file, line: number, errors: [], text: '' })).toString('latin1');
  return (full.length > line.length ? short : full).padEnd(line.length);
}
