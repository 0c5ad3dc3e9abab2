/** The history of audiences in a backup. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder } from '../../event-log/flush-folder.ts';
import { HISTORY_TABLES, type HistoryTable, type KeptHistory } from '../../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import { HISTORY_FOLDER } from './backup-folder.ts';
import type { RowsFile } from './manifest.ts';
import { linesIn, readLines, rowsFile } from './rows-file.ts';
import { unavailable } from './stored-file.ts';

const ROWS_OF_PIECE = 1_000;
/** Those of one insert are in memory. */
const ROWS_OF_INSERT = 50_000;

/** @param name The name of a folder below that of the history. */
export async function dumpHistory(
  history: Pick<KeptHistory, 'rows'>,
  folder: string,
  name: string,
  signal: AbortSignal,
): Promise<readonly RowsFile[]> {
  const path = join(folder, HISTORY_FOLDER, name);
  const failed = (error: unknown): never => {
    throw unavailable(`cannot write ${path}`, error);
  };
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(failed);
  const files: RowsFile[] = [];
  for (const table of HISTORY_TABLES) {
    const file = `${HISTORY_FOLDER}/${name}/${table}.ndjson.zst`;
    const rows = inPieces(linesIn(await history.rows(table)));
    files.push(await rowsFile({ folder, file, table, signal }, rows));
  }
  await flushFolder(path).catch(failed);
  return files;
}

/** Brings back the history, in place of what is there. @param epochs Up to when live changes count. */
export async function fillHistory(
  history: KeptHistory,
  folder: string,
  files: readonly RowsFile[],
  epochs: readonly LiveEpoch[],
  signal: AbortSignal,
): Promise<void> {
  await history.clear();
  for (const file of files) {
    for await (const lines of readLines(folder, file, ROWS_OF_INSERT)) {
      signal.throwIfAborted();
      await history.insert(file.table as HistoryTable, Buffer.from(lines.join('\n')));
    }
  }
  await history.deriveMembers(epochs);
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let piece: string[] = [];
  for await (const line of lines) {
    piece.push(line);
    if (piece.length < ROWS_OF_PIECE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}
