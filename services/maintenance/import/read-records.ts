import { crc32 } from 'node:zlib';
import type { Draft } from '../../messages/draft.ts';
import type { Validated } from '../../messages/validate.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { type Column, type CsvOptions, readHeader } from './csv-columns.ts';
import { judgeRow, readCells } from './csv-rows.ts';
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

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Makes a file of a byte or two long enough to be no part of a byte order mark. */
const PADDING = Buffer.from('  ');
const TOGETHER = 100;
const CONVERT_RETURNS = "Convert them: tr '\\r' '\\n' < FILE > CONVERTED.";

/** Reads and judges the records of a file. */
export class RecordReader {
  readonly #options: ReadOptions;
  #header: readonly string[] | undefined;
  #columns: readonly Column[] | undefined;

  /** @param header Of the CSV, where the reading goes on behind it. */
  constructor(options: ReadOptions, header: readonly string[] | undefined) {
    this.#options = options;
    this.#header = header;
    this.#columns = header && readHeader(header, options.csv);
  }

  /** The names of the CSV's columns, once they were read. */
  get header(): readonly string[] | undefined {
    return this.#header;
  }

  /** Once the beginning was read. */
  get format(): Format | undefined {
    return this.#format;
  }

  /**
   * The records from this place on, a hundred together; blank lines are left out.
   *
   * @throws TidemarkError `COMMAND_INVALID` where the beginning is nothing that can be imported.
   */
  async *read(chunks: AsyncIterable<Buffer>, from: FileOffset): AsyncGenerator<readonly ReadRecord[]> {
    let splitter = from.offset === 0 ? undefined : this.#splitter(this.#header === undefined ? 'ndjson' : 'csv', from);
    let begun: Buffer = Buffer.alloc(0);
    for await (const chunk of chunks) {
      let bytes = chunk;
      if (splitter === undefined) {
        begun = Buffer.concat([begun, chunk]);
        const first = firstByte(begun);
        if (first === undefined) continue;
        [splitter, bytes] = this.#begin(begun, first);
      }
      yield* this.#judged(splitter.push(bytes));
    }
    if (splitter === undefined) {
      const first = firstByte(Buffer.concat([begun, PADDING]));
      if (first === undefined) return;
      const [short, bytes] = this.#begin(begun, first);
      yield* this.#judged(short.push(bytes));
      splitter = short;
    }
    yield* this.#judged(splitter.finish());
  }

  #begin(bytes: Buffer, first: number): [RecordSplitter, Buffer] {
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
      throw unusable('The file is UTF-16; only UTF-8 can be imported.');
    }
    const format = this.#options.format ?? (first === 0x7b ? 'ndjson' : 'csv');
    if (this.#options.format === undefined && first === 0x5b) {
      throw unusable("The file begins as a JSON array does: give one object a line (jq -c '.[]').");
    }
    const hasMark = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    const place = hasMark ? { offset: 3, line: 0, crc: crc32(BYTE_ORDER_MARK) } : { offset: 0, line: 0, crc: 0 };
    return [this.#splitter(format, place), bytes.subarray(place.offset)];
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
    if (endsInReturns(record)) throw unusable(`The lines of the CSV end in CR alone. ${CONVERT_RETURNS}`);
    const [cells] = wrongWithBytes(record) === undefined ? readCells([record], this.#options.csv) : [];
    if (cells?.ok !== true) throw unusable('The first line is no header of CSV that can be read.');
    this.#header = cells.cells;
    this.#columns = readHeader(cells.cells, this.#options.csv);
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

/** The first byte that is neither white space nor a byte order mark. */
function firstByte(bytes: Buffer): number | undefined {
  const start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  if (start === 0 && bytes.length < 3) return undefined;
  return bytes.subarray(start).find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
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
