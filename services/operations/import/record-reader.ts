import { isTimezone } from '../../messages/timestamp.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { Beginning, describeForeign, type FirstLine, isBinary } from './beginning.ts';
import { type Column, type CsvOptions, missingColumns, readHeader } from './csv-columns.ts';
import { judgeRow, readCells } from './csv-rows.ts';
import type { ImportOptions } from './import-options.ts';
import { bounded, isBlank, type JudgedCall, judgeText, type JudgeOptions, rejection, wrongWithBytes } from './judge.ts';
import { Sources } from './mapping/explain.ts';
import { type Mapping, mappingOf, objectSources, PLAIN } from './mapping/mapping.ts';
import type { Preset } from './presets/preset.ts';
import { presetNamed } from './presets/presets.ts';
import type { FileOffset, Format, RawRecord } from './record.ts';
import { CsvRecordEnd, LineEnd } from './record-end.ts';
import { RecordSplitter } from './split.ts';
import { timeReader } from './times/time-format.ts';

export interface ReadOptions extends ImportOptions {
  /** Where times without an offset are, unless the options or the preset say it. */
  readonly projectTimezone: string;
  /** Whether it is not the first of several files, which may be of another format than that. */
  readonly isFurther?: boolean;
}

/** A record and what it was found to be. */
export interface ReadRecord extends JudgedCall {
  readonly raw: RawRecord;
}

/** What the header of CSV says. */
interface CsvHeader {
  /** As the header has them. */
  readonly names: readonly string[];
  readonly columns: readonly Column[];
  /** Why every row would be refused, whatever it says. */
  readonly lack: string | undefined;
}

const TOGETHER = 100;
const CONVERT_RETURNS = "Convert them: tr '\\r' '\\n' < FILE > CONVERTED.";

/** Reads and judges the records of a file. */
export class RecordReader {
  readonly #options: ReadOptions;
  /** What people named as a source, and no record has had so far. */
  readonly unused: Set<string>;
  readonly #judge: JudgeOptions;
  /** Left out: the beginning tells. */
  readonly #given: Format | undefined;
  readonly #mapping: Mapping;
  /** Those of the columns, once the header was read. */
  sources: Sources;
  #format: Format | undefined;
  #table: CsvHeader | undefined;
  #isEmpty = true;

  /**
   * @param header The CSV's, where the reading goes on behind it.
   * @throws TidemarkError `COMMAND_INVALID` where the options cannot be used.
   */
  constructor(options: ReadOptions, header?: readonly string[]) {
    const { map, format, time_format: timeFormat } = options;
    const preset = presetNamed(options.preset);
    this.#options = options;
    this.unused = new Set(Object.keys(map));
    this.#given = format ?? preset?.format;
    this.#mapping = mappingOf(options, preset?.mapping ?? PLAIN);
    this.sources = new Sources(this.#mapping);
    this.#judge = this.#judgeOptions(preset);
    if (timeFormat !== null) timeReader(timeFormat);
    if (header !== undefined) this.#setHeader(header);
  }

  #judgeOptions(preset: Preset | undefined): JudgeOptions {
    const { map, set, type, time_format: timeFormat } = this.#options;
    const isCustom = Object.keys({ ...map, ...set }).length > 0;
    const isShaped = isCustom || (preset !== undefined && preset.isOfSdk !== true);
    return {
      timezone: zoneOf(this.#options, preset),
      timeFormat: timeFormat ?? undefined,
      type: type ?? undefined,
      mapping: isShaped ? this.#mapping : undefined,
      objects: isCustom || preset !== undefined ? objectSources(this.#mapping) : [],
      preset,
      unused: this.unused,
    };
  }

  #setHeader(names: readonly string[]): void {
    const columns = readHeader(names, this.#options, this.#mapping, Object.keys(this.#options.map));
    this.sources = new Sources(this.#mapping, columns);
    this.#table = { names, columns, lack: missingColumns(columns, this.#judge.type, this.#mapping) };
  }

  /** Undefined until the header of CSV was read. */
  get table(): CsvHeader | undefined {
    return this.#table;
  }

  /** Once the beginning was read. */
  get format(): Format | undefined {
    return this.#format;
  }

  /** Whether no byte has come. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /**
   * The records from this place on, a hundred together; blank lines are left out.
   *
   * @throws TidemarkError `COMMAND_INVALID` where the beginning is nothing that can be imported.
   */
  async *read(chunks: AsyncIterable<Buffer>, from: FileOffset): AsyncGenerator<readonly ReadRecord[]> {
    const beginning = new Beginning();
    let splitter = from.offset === 0 ? undefined : this.#splitter(this.#table === undefined ? 'ndjson' : 'csv', from);
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
    if (this.#given === undefined && first === 0x5b) {
      throw unusable("The file begins as a JSON array does: give one object a line (jq -c '.[]').");
    }
    return this.#splitter(this.#given ?? (first === 0x7b ? 'ndjson' : 'csv'), place);
  }

  #splitter(format: Format, place: FileOffset): RecordSplitter {
    if (format === 'ndjson' && this.#options.isFurther !== true) checkIdle(this.#options);
    const end = format === 'csv' ? new CsvRecordEnd(this.#options.delimiter) : new LineEnd();
    this.#format = format;
    return new RecordSplitter(end, place);
  }

  get #isCsv(): boolean {
    return this.#format === 'csv';
  }

  *#judged(records: readonly RawRecord[]): Generator<readonly ReadRecord[]> {
    let rest = records.filter((record) => !isBlank(record));
    const [first] = rest;
    if (this.#isCsv && this.#table === undefined && first !== undefined) {
      this.#readHeader(first);
      if (this.#options.columns === null) rest = rest.slice(1);
    }
    for (let from = 0; from < rest.length; from += TOGETHER) {
      const some = rest.slice(from, from + TOGETHER);
      yield this.#isCsv ? this.#judgeRows(some) : some.map((raw) => ({ raw, ...this.#judgeLine(raw) }));
    }
  }

  #readHeader(record: RawRecord): void {
    if (endsInReturns(record) && !isBinary(record.bytes))
      throw unusable(`The lines of the CSV end in CR alone. ${CONVERT_RETURNS}`);
    const [cells] = wrongWithBytes(record) === undefined ? readCells([record], this.#options) : [];
    if (cells?.ok !== true) throw unusable('The first line is neither a message as JSON nor a header of CSV in UTF-8.');
    this.#setHeader(this.#options.columns ?? cells.cells);
  }

  #judgeLine(raw: RawRecord): JudgedCall {
    const problems = wrongWithBytes(raw);
    return problems === undefined ? bounded(judgeText(raw.bytes.toString(), this.#judge), raw) : rejection(problems);
  }

  #judgeRows(records: readonly RawRecord[]): readonly ReadRecord[] {
    const readable = records.filter((raw) => wrongWithBytes(raw) === undefined);
    const cells = new Map(readCells(readable, this.#options).map((each, index) => [readable[index], each]));
    const options = { ...this.#judge, mapping: this.#mapping };
    return records.map((raw) => {
      const row = cells.get(raw);
      if (row === undefined) return { raw, ...rejection(wrongWithBytes(raw) ?? []) };
      if (!row.ok) return { raw, ...rejection(row.problems) };
      return { raw, ...bounded(judgeRow(row.cells, this.#table?.columns ?? [], options), raw) };
    });
  }
}

/** What is asked for and has no effect was meant for another file. */
function checkIdle({ delimiter, types, text_columns, json_columns, columns }: CsvOptions): void {
  const given = {
    delimiter: delimiter !== ',',
    types,
    text_columns: text_columns.length > 0,
    json_columns: json_columns.length > 0,
    columns: columns !== null,
  };
  const idle = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (idle.length > 0) throw unusable(`The file is NDJSON, and ${idle.join(', ')} can be said of CSV alone.`);
}

function zoneOf({ timezone, projectTimezone }: ReadOptions, preset: Preset | undefined): string {
  if (timezone !== null && !isTimezone(timezone)) throw unusable(`There is no time zone ${timezone}.`);
  return timezone ?? preset?.timezone ?? projectTimezone;
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
