/** Forgets people in the files that imports over HTTP have: those that were uploaded, and the lines that were refused. */
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../runtime/errors.ts';
import type { Database } from '../../stores/database/database.ts';
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

/**
 * Deletes the uploaded files in which one of these ids stands as a value of its own, and overwrites the refused lines that
 * have one: a report stays as long as it is, since an import that goes on knows its length. May be repeated.
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
    else if (await hasId(uploadPath(folder, name), wanted, signal)) {
      if (await isUsed(database, name)) found.hasUsed = true;
      else {
        await rm(join(folder, name), { recursive: true, force: true });
        found.uploads += 1;
      }
    }
  }
  return found;
}

async function hasId(path: string, wanted: WantedIds, signal: AbortSignal): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  try {
    return file !== undefined && (await wanted.isInAny(textIn(file, signal)));
  } finally {
    await file?.close();
  }
}

async function* textIn(file: FileHandle, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for await (const chunk of readInput(file, { read: { bytes: 0 }, encoding: undefined, signal }))
      // In UTF-16 every other byte of an id is zero.
      yield chunk.toString('latin1').replaceAll('\0', '');
  } catch (error) {
    // It is not all there yet, or was damaged: it ends with what can be read.
    if (!hasCode(error, 'IMPORT_UNREADABLE')) throw error;
  }
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
    if (wanted.isIn(line)) {
      await file.write(forgottenLine(line), at, 'latin1');
      lines += 1;
    }
    at += line.length + 1;
  }
  if (lines > 0) await file.datasync();
  return lines;
}

/** It is as long as the line, and JSON too. */
function forgottenLine(line: string): string {
  const { file, line: number } = JSON.parse(Buffer.from(line, 'latin1').toString()) as { file?: string; line: number };
  const short = JSON.stringify({ line: number, errors: [], text: '' });
  const full = Buffer.from(JSON.stringify({ file, line: number, errors: [], text: '' })).toString('latin1');
  return (full.length > line.length ? short : full).padEnd(line.length);
}
