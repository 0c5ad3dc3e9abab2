import type { Draft } from '../../messages/draft.ts';
import type { Validated } from '../../messages/validate.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { Beginning, type FirstLine } from './beginning.ts';
import { type Column, type CsvOptions, missingColumns, readHeader } from './csv-columns.ts';
import { judgeRow, readCells } from './csv-rows.ts';
import { describeForeign, isBinary } from './foreign.ts';
import { isBlank, judgeText, type JudgeOptions, wrongWithBytes } from './judge.ts';
import type { FileOffset, RawRecord } from './record.ts';
import { CsvRecordEnd, LineEnd } from './record-end.ts';
import { RecordSplitter } from './split.ts';

export type Format = 'ndjson' | 'csv';

export interface ReadOptions extends JudgeOptions {
  /** What the file holds; told by its beginning where left out. */
  readonly format: Format | undefined;
  readonly csv: CsvOptions;
}

/** A record and what it was found to be. */
export interface ReadRecord {
  readonly raw: RawRecord;
  readonly judged: Validated<Draft>;
}

const TOGETHER = 100;
const CONVERT_RETURNS = "Convert them: tr '\\r' '\\n' < FILE > CONVERTED.";

/** Reads and judges the records of a file. */
export class RecordReader {
  readonly #options: ReadOptions;
  #header: readonly string[] | undefined;
  #columns: readonly Column[] | undefined;
  #lack: string | undefined;
  #isEmpty = true;

  /** @param header The CSV's, where the reading goes on behind it. */
  constructor(options: ReadOptions, header: readonly string[] | undefined) {
    this.#options = options;
    this.#header = header;
    if (header !== undefined) this.#setHeader(header);
  }

  #setHeader(names: readonly string[]): void {
    this.#header = names;
    this.#columns = readHeader(names, this.#options.csv);
    this.#lack = missingColumns(this.#columns, this.#options.type);
  }

  /** The names of the CSV's columns, once they were read. */
  get header(): readonly string[] | undefined {
    return this.#header;
  }

  /** Once the beginning was read. */
  get format(): Format | undefined {
    return this.#format;
  }

  /** Whether no byte has come. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Why every row would be refused, whatever it says, once the header of the CSV was read. */
  get lack(): string | undefined {
    return this.#lack;
  }

  /**
   * The records from this place on, a hundred together; blank lines are left out.
   *
   * @throws TidemarkError `COMMAND_INVALID` where the beginning is nothing that can be imported.
   */
  async *read(chunks: AsyncIterable<Buffer>, from: FileOffset): AsyncGenerator<readonly ReadRecord[]> {
    const beginning = new Beginning();
    let splitter = from.offset === 0 ? undefined : this.#splitter(this.#header === undefined ? 'ndjson' : 'csv', from);
    for await (const chunk of chunks) {
      this.#isEmpty &&= chunk.length === 0;
      const begun = splitter === undefined ? beginning.push(chunk) : undefined;
      splitter ??= begun && this.#begin(begun);
      if (splitter !== undefined) yield* this.#judged(splitter.push(begun?.bytes ?? chunk));
    }
    if (splitter === undefined) {
      const begun = beginning.finish();
      if (begun === undefined) return;
      splitter = this.#begin(begun);
      yield* this.#judged(splitter.push(begun.bytes));
    }
    yield* this.#judged(splitter.finish());
  }

  #begin({ bytes, first, place }: FirstLine): RecordSplitter {
    const foreign = describeForeign(bytes);
    if (foreign !== undefined) throw unusable(`The file ${foreign}`);
    if (this.#options.format === undefined && first === 0x5b) {
      throw unusable("The file begins as a JSON array does: give one object a line (jq -c '.[]').");
    }
    return this.#splitter(this.#options.format ?? (first === 0x7b ? 'ndjson' : 'csv'), place);
  }

  #splitter(format: Format, place: FileOffset): RecordSplitter {
    const end = format === 'csv' ? new CsvRecordEnd(this.#options.csv.delimiter) : new LineEnd();
    this.#format = format;
    return new RecordSplitter(end, place);
  }

  #format: Format | undefined;

  get #isCsv(): boolean {
    return this.#format === 'csv';
  }

  *#judged(records: readonly RawRecord[]): Generator<readonly ReadRecord[]> {
    let rest = records.filter((record) => !isBlank(record));
    const [header] = rest;
    if (this.#isCsv && this.#columns === undefined && header !== undefined) {
      this.#readHeader(header);
      rest = rest.slice(1);
    }
    for (let from = 0; from < rest.length; from += TOGETHER) {
      const some = rest.slice(from, from + TOGETHER);
      yield this.#isCsv ? this.#judgeRows(some) : some.map((raw) => ({ raw, judged: this.#judgeLine(raw) }));
    }
  }

  #readHeader(record: RawRecord): void {
    if (endsInReturns(record) && !isBinary(record.bytes))
      throw unusable(`The lines of the CSV end in CR alone. ${CONVERT_RETURNS}`);
    const [cells] = wrongWithBytes(record) === undefined ? readCells([record], this.#options.csv) : [];
    if (cells?.ok !== true) throw unusable('The first line is neither a message as JSON nor a header of CSV in UTF-8.');
    this.#setHeader(cells.cells);
  }

  #judgeLine(raw: RawRecord): Validated<Draft> {
    const problems = wrongWithBytes(raw);
    return problems === undefined ? judgeText(raw.bytes.toString(), this.#options) : { ok: false, problems };
  }

  #judgeRows(records: readonly RawRecord[]): readonly ReadRecord[] {
    const readable = records.filter((raw) => wrongWithBytes(raw) === undefined);
    const cells = new Map(readCells(readable, this.#options.csv).map((each, index) => [readable[index], each]));
    return records.map((raw) => {
      const row = cells.get(raw);
      if (row === undefined) return { raw, judged: { ok: false, problems: wrongWithBytes(raw) ?? [] } };
      return { raw, judged: row.ok ? judgeRow(row.cells, this.#columns ?? [], this.#options) : row };
    });
  }
}

/** Whether the first line goes on behind a CR outside quotes, as where CR alone ends the lines (old Macintosh files). */
function endsInReturns({ bytes }: RawRecord): boolean {
  return bytes
    .toString('latin1')
    .replaceAll(/"[^"]*"/g, '')
    .includes('\r');
}

function unusable(message: string): TidemarkError {
  return new TidemarkError('COMMAND_INVALID', message);
}
