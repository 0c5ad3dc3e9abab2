/** The first records of a file, as an import with these options would read them. Nothing is imported. */
import type { FileHandle } from 'node:fs/promises';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { readCells } from './csv-rows.ts';
import { Findings } from './findings.ts';
import { guess } from './guess/guess.ts';
import type { ImportOptions, ImportPreview, ImportProblem } from './import-options.ts';
import { readInput } from './input.ts';
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
  const guessed = guess(await firstBytes(file, signal), new Set(asked.known_events));
  const rejected = rejectedOf(records, problem ?? reader.lack);
  const rejectedBy = async (by: ImportOptions): Promise<number> =>
    rejectedIn({ file, options: { ...asked, ...by }, signal }).catch((error: unknown) => {
      if (!hasCode(error, 'COMMAND_INVALID')) throw error;
      return rejected;
    });
  const { columns = [] } = reader;
  const raws = records.map(({ raw }) => raw);
  const cells = reader.header === undefined ? [] : readCells(raws, options);
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
    columns: columns.slice(0, MAX_CELLS).map(({ name, target }) => {
      return { name, fills: target?.path.join('.') ?? '', free: target?.isFree ?? false };
    }),
    rows,
    warnings: findings.warnings,
    problem: problem ?? reader.lack ?? (records.length === 0 ? NO_ROWS : null),
    guess: guessed,
    remedies: await remediesFor(asked, guessed, rejected, rejectedBy),
  };
}

async function rejectedIn(of: Omit<Previewed, 'asked'>): Promise<number> {
  const reader = new RecordReader(of.options);
  return rejectedOf(await firstOf(reader, of), reader.lack);
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
  const { encoding } = options;
  let isCut = false;
  async function* beginning(): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of readInput(file, { read: { bytes: 0 }, encoding, signal })) {
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

/** Unpacked, in its own encoding. */
async function firstBytes(file: FileHandle, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readInput(file, { read: { bytes: 0 }, encoding: null, signal })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= GUESSED_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, GUESSED_BYTES);
}
