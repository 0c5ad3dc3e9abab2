/** The first records of a file, as an import with these options would read them. Nothing is imported. */
import type { FileHandle } from 'node:fs/promises';
import type { Problem } from '../../messages/message.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { readHeader } from './csv-columns.ts';
import { readCells } from './csv-rows.ts';
import { readInput } from './input.ts';
import { type ReadOptions, type ReadRecord, RecordReader } from './read-records.ts';
import { BEGINNING } from './record.ts';

export interface PreviewedColumn {
  /** As the header has it. */
  readonly name: string;
  /** The member that it fills: `user_id`, `traits.address.city`, or the name of a trait or property. */
  readonly fills: string;
  /** Whether that is a trait of an identify and a property of a track. */
  readonly free: boolean;
}

export interface PreviewedRow {
  /** The line where it begins. */
  readonly line: number;
  /** The fields of CSV, or the line of NDJSON; each cut at 512 characters. */
  readonly cells: readonly string[];
  /** Why the line would be refused; empty where it would be imported. */
  readonly problems: readonly Problem[];
}

export interface Preview {
  readonly format: 'ndjson' | 'csv';
  /** Empty for NDJSON. */
  readonly columns: readonly PreviewedColumn[];
  readonly rows: readonly PreviewedRow[];
  /** Why an import would be refused as a whole, as where the columns cannot be used as they are mapped; null where it would not. */
  readonly problem: string | null;
}

const PREVIEWED_ROWS = 20;
/** Unpacked. What begins with more blank lines than this has no rows to be shown. */
const READ_BYTES = 4 * 2 ** 20;
const NO_ROWS = 'No row is to be seen in the first 4 MB of the file.';
const MAX_CELLS = 1_000;
const MAX_CELL_LENGTH = 512;
const PREVIEWED_PROBLEMS = 20;

/** @throws TidemarkError `COMMAND_INVALID`, `IMPORT_UNREADABLE`. */
export async function previewFile(file: FileHandle, options: ReadOptions, signal: AbortSignal): Promise<Preview> {
  try {
    return await previewed({ file, options, signal }, null);
  } catch (error) {
    if (!hasCode(error, 'COMMAND_INVALID')) throw error;
    const { renamed, jsonColumns } = options.csv;
    if (renamed.size === 0 && jsonColumns.length === 0) throw error;
    // The header may be good where the mapping is not: then people can mend that.
    const plain = { ...options, csv: { ...options.csv, renamed: new Map<string, string>(), jsonColumns: [] } };
    return previewed({ file, options: plain, signal }, error.message);
  }
}

interface Previewed {
  readonly file: FileHandle;
  readonly options: ReadOptions;
  readonly signal: AbortSignal;
}

async function previewed({ file, options, signal }: Previewed, problem: string | null): Promise<Preview> {
  const reader = new RecordReader(options, undefined);
  const records = await firstOf(reader, file, signal);
  const { header } = reader;
  const columns = header === undefined ? [] : readHeader(header, options.csv);
  const raws = records.map(({ raw }) => raw);
  const cells = header === undefined ? [] : readCells(raws, options.csv);
  return {
    format: reader.format ?? 'ndjson',
    columns: columns.slice(0, MAX_CELLS).map(({ name, path: fills, isFree }) => {
      return { name, fills: fills.join('.'), free: isFree };
    }),
    rows: records.map(({ raw, judged }, index): PreviewedRow => {
      const row = cells[index];
      const texts = row?.ok === true ? row.cells : [raw.bytes.toString()];
      return {
        line: raw.line,
        cells: texts.slice(0, MAX_CELLS).map((text) => text.slice(0, MAX_CELL_LENGTH)),
        // With another mapping than was asked for, what is wrong with a row says nothing.
        problems: judged.ok || problem !== null ? [] : judged.problems.slice(0, PREVIEWED_PROBLEMS),
      };
    }),
    problem: problem ?? reader.lack ?? (records.length === 0 ? NO_ROWS : null),
  };
}

async function firstOf(reader: RecordReader, file: FileHandle, signal: AbortSignal): Promise<readonly ReadRecord[]> {
  const first: ReadRecord[] = [];
  let isCut = false;
  async function* beginning(): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of readInput(file, { bytes: 0 }, signal)) {
      yield chunk;
      bytes += chunk.length;
      isCut = bytes >= READ_BYTES;
      if (isCut) return;
    }
  }
  try {
    for await (const records of reader.read(beginning(), BEGINNING)) {
      // The last line is not all there.
      if (isCut) break;
      first.push(...records.slice(0, PREVIEWED_ROWS - first.length));
      if (first.length >= PREVIEWED_ROWS) break;
    }
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    throw new TidemarkError('COMMAND_INVALID', `The file cannot be read: ${(cause as Error).message}`, { cause });
  }
  return first;
}
