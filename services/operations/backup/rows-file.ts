/** Rows in a file of a backup: a line of JSON each. */
import type { RowsFile } from './manifest.ts';
import { readStored, writeStored } from './stored-file.ts';

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

/** The lines of a file, this number of them at once. @throws TidemarkError as `readStored`. */
export async function* readLines(folder: string, file: RowsFile, atOnce: number): AsyncGenerator<readonly string[]> {
  let lines: string[] = [];
  for await (const line of linesIn(readStored(folder, file))) {
    lines.push(line);
    if (lines.length < atOnce) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

/** The lines of a text that comes in pieces, which may end within a line. Empty ones are left out. */
export async function* linesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
