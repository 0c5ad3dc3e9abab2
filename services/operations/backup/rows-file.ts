/** Rows in a file of a backup: a line of JSON each. */
import type { RowsFile } from './manifest.ts';
import { damaged, readStored, writeStored } from './stored-file.ts';

export interface NewRowsFile {
  readonly folder: string;
  readonly file: string;
  readonly table: string;
  readonly signal: AbortSignal;
}

/** Writes rows, each without a line end. */
export async function rowsFile(
  { folder, file, table, signal }: NewRowsFile,
  rows: AsyncIterable<readonly string[]>,
): Promise<RowsFile> {
  let count = 0;
  const lines = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of rows) {
      count += piece.length;
      if (piece.length > 0) yield Buffer.from(`${piece.join('\n')}\n`);
    }
  };
  const stored = await writeStored(folder, file, lines(), signal);
  return { ...stored, table, rows: count };
}

/** No row is of this size. */
const MAX_ROW_LENGTH = 64 * 2 ** 20;

/**
 * The lines of a file, this number of them at once, fewer where they are long.
 *
 * @throws TidemarkError as `readStored`; `BACKUP_DAMAGED` where there are more or fewer rows than were written.
 */
export async function* readLines(folder: string, file: RowsFile, atOnce: number): AsyncGenerator<readonly string[]> {
  let [lines, length, rows]: [string[], number, number] = [[], 0, 0];
  try {
    for await (const line of linesIn(readStored(folder, file))) {
      lines.push(line);
      length += line.length;
      rows += 1;
      if (rows > file.rows) break;
      if (lines.length < atOnce && length < MAX_ROW_LENGTH) continue;
      yield lines;
      [lines, length] = [[], 0];
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged(`${folder}/${file.file}: ${error.message}`) : error;
  }
  if (rows !== file.rows) throw damaged(`${folder}/${file.file} has other than ${file.rows} rows`);
  if (lines.length > 0) yield lines;
}

/**
 * The lines of a text that comes in pieces, which may end within a line. Empty ones are left out.
 *
 * @throws RangeError where a line is longer than any row.
 */
export async function* linesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n');
    // A long line is not looked through again with each piece.
    rest += first;
    if (rest.length > MAX_ROW_LENGTH) throw new RangeError(`a line has more than ${MAX_ROW_LENGTH} characters`);
    const begun = others.pop();
    if (begun === undefined) continue;
    if (rest !== '') yield rest;
    yield* others.filter((line) => line !== '');
    rest = begun;
  }
  if (rest !== '') yield rest;
}
