/** The history of audiences in a backup. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder } from '../../event-log/flush-folder.ts';
import { HISTORY_TABLES, type HistoryTable, type KeptHistory } from '../../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import { type ErasedUsers, userName } from '../../stores/erasures/erased-users.ts';
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

/** What a history is brought back from. */
export interface HistoryToFill {
  readonly folder: string;
  readonly files: readonly RowsFile[];
  /** Up to when live changes count. */
  readonly epochs: readonly LiveEpoch[];
  /** The people who were forgotten, whose changes are left out. */
  readonly erased: ErasedUsers;
}

/** Brings back the history, in place of what is there. */
export async function fillHistory(
  history: KeptHistory,
  { folder, files, epochs, erased }: HistoryToFill,
  signal: AbortSignal,
): Promise<void> {
  await history.clear();
  for (const file of files) {
    for await (const lines of readLines(folder, file, ROWS_OF_INSERT)) {
      signal.throwIfAborted();
      const kept = erased.size === 0 ? lines : lines.filter((line) => !isOfForgotten(line, erased));
      if (kept.length > 0) await history.insert(file.table as HistoryTable, Buffer.from(kept.join('\n')));
    }
  }
  await history.deriveMembers(epochs);
}

/** Whether it is a change of somebody who was forgotten, from before. */
function isOfForgotten(line: string, erased: ErasedUsers): boolean {
  const row = JSON.parse(line) as Partial<Record<'project_id' | 'internal_id' | 'evaluated_at', string>>;
  const { project_id: project, internal_id: user, evaluated_at: at } = row;
  if (project === undefined || user === undefined || at === undefined) return false;
  const cut = erased.get(userName(project, user));
  return cut !== undefined && BigInt(Date.parse(`${at.replace(' ', 'T')}Z`)) * 1000n <= cut;
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
