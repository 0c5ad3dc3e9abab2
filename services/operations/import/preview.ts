/** The first records of a file, as an import with these options would read them. Nothing is imported. */
import type { FileHandle } from 'node:fs/promises';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { readCells } from './csv-rows.ts';
import { Findings } from './findings.ts';
import { guess } from './guess/guess.ts';
import type { ImportOptions, ImportPreview, ImportProblem } from './import-options.ts';
import { type InputOptions, readInput } from './input.ts';
import { type ReadOptions, type ReadRecord, RecordReader } from './record-reader.ts';
import { BEGINNING } from './record.ts';
import { oddDatesIn } from './odd-dates.ts';
import { remediesFor } from './guess/remedies.ts';

/** What is known of one file. */
export type FilePreview = Omit<ImportPreview, 'files' | 'file_count'>;

export interface PreviewOptions extends ReadOptions {
  /** The file's, for people. */
  readonly name?: string;
  /** Names of events that the project has. */
  readonly known_events?: readonly string[];
}

const PREVIEWED_ROWS = 20;
/** Unpacked. What begins with more blank lines than this has no rows to be shown. */
const READ_BYTES = 4 * 2 ** 20;
const GUESSED_BYTES = 256 * 1024;
const NO_ROWS = 'No row is to be seen in the first 4 MB of the file.';
const MAX_CELLS = 1_000;
const MAX_CELL_LENGTH = 512;
const MAX_CALL_LENGTH = 2_048;
const PREVIEWED_PROBLEMS = 20;

/** @throws TidemarkError `COMMAND_INVALID`, `IMPORT_UNREADABLE`. */
export async function previewFile(
  file: FileHandle,
  options: PreviewOptions,
  signal: AbortSignal,
): Promise<FilePreview> {
  try {
    return await previewed({ file, options, asked: options, signal }, null);
  } catch (error) {
    if (!hasCode(error, 'COMMAND_INVALID')) throw error;
    const { map, json_columns, text_columns, types, columns, delimiter } = options;
    const isPlain =
      [Object.keys(map), json_columns, text_columns].every(({ length }) => length === 0) && !types && columns === null;
    if (isPlain && delimiter === ',') throw error;
    // The header may be good where the mapping is not, and the file good that is no CSV: then people can mend that.
    const plain = { ...options, map: {}, json_columns: [], text_columns: [], isFurther: true };
    return previewed({ file, options: plain, asked: options, signal }, error.message);
  }
}

interface Previewed {
  readonly file: FileHandle;
  /** What the rows are shown by: of what was `asked` as much as can be used. */
  readonly options: PreviewOptions;
  readonly asked: PreviewOptions;
  readonly signal: AbortSignal;
}

async function previewed(of: Previewed, problem: string | null): Promise<FilePreview> {
  const { file, options, asked, signal } = of;
  const reader = new RecordReader(options);
  const records = await firstOf(reader, of);
  const chunks = await Array.fromAsync(firstChunks(file, { encoding: null, signal }, GUESSED_BYTES));
  const guessed = guess(Buffer.concat(chunks).subarray(0, GUESSED_BYTES), new Set(asked.known_events));
  const rejected = rejectedOf(records, problem ?? reader.table?.lack);
  const rejectedBy = async (by: ImportOptions): Promise<number> => {
    try {
      const other = { ...of, options: { ...asked, ...by } };
      const tried = new RecordReader(other.options);
      return rejectedOf(await firstOf(tried, other), tried.table?.lack);
    } catch (error) {
      if (!hasCode(error, 'COMMAND_INVALID')) throw error;
      return rejected;
    }
  };
  const raws = records.map(({ raw }) => raw);
  const cells = reader.table === undefined ? [] : readCells(raws, options);
  const oddDates = oddDatesIn(records.map(({ judged, call }) => (judged.ok ? call : undefined)));
  const findings = new Findings();
  const rows = records.map((record, index) => {
    const row = cells[index];
    const texts = row?.ok === true ? row.cells : [record.raw.bytes.toString()];
    // With another mapping than was asked for, what is wrong with a row says nothing.
    const problems = problem === null ? findings.add(record, options.name ?? '', reader, oddDates[index]) : [];
    return previewedRow(record, texts, problems);
  });
  findings.endFile(reader);
  return {
    format: reader.format ?? 'ndjson',
    columns: (reader.table?.columns ?? []).slice(0, MAX_CELLS).map(({ name, target }) => {
      return { name, fills: target?.path.join('.') ?? '', free: target?.isFree ?? false };
    }),
    rows,
    warnings: findings.warnings,
    problem: problem ?? reader.table?.lack ?? (records.length === 0 ? NO_ROWS : null),
    guess: guessed,
    remedies: await remediesFor(asked, guessed, rejected, rejectedBy),
  };
}

/** @param problem Why all are. */
function rejectedOf(records: readonly ReadRecord[], problem: string | null | undefined): number {
  return (problem ?? null) === null ? records.filter(({ judged }) => !judged.ok).length : records.length;
}

function previewedRow(
  { raw, call, timeForm }: ReadRecord,
  texts: readonly string[],
  problems: readonly ImportProblem[],
): ImportPreview['rows'][number] {
  return {
    line: raw.line,
    cells: texts.slice(0, MAX_CELLS).map((text) => text.slice(0, MAX_CELL_LENGTH)),
    call: call === undefined ? null : JSON.stringify(call).slice(0, MAX_CALL_LENGTH),
    time_form: timeForm ?? null,
    problems: problems.slice(0, PREVIEWED_PROBLEMS),
  };
}

async function firstOf(
  reader: RecordReader,
  { file, options, signal }: Omit<Previewed, 'asked'>,
): Promise<readonly ReadRecord[]> {
  const first: ReadRecord[] = [];
  const passed = { bytes: 0 };
  try {
    const chunks = firstChunks(file, { ...options, signal }, READ_BYTES, passed);
    for await (const records of reader.read(chunks, BEGINNING)) {
      // The last line is not all there.
      if (passed.bytes >= READ_BYTES) break;
      first.push(...records.slice(0, PREVIEWED_ROWS - first.length));
      if (first.length >= PREVIEWED_ROWS) break;
    }
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    throw new TidemarkError('COMMAND_INVALID', `The file cannot be read: ${(cause as Error).message}`, { cause });
  }
  return first;
}

/** The first of a file, unpacked. @param passed How much of it was taken, once more is asked for. */
async function* firstChunks(
  file: FileHandle,
  options: Omit<InputOptions, 'read'>,
  most: number,
  passed = { bytes: 0 },
): AsyncGenerator<Buffer> {
  for await (const chunk of readInput(file, { ...options, read: { bytes: 0 } })) {
    yield chunk;
    passed.bytes += chunk.length;
    if (passed.bytes >= most) return;
  }
}
