import { crc32 } from 'node:zlib';
import { type FileOffset, KEPT_BYTES, type RawRecord, RECORD_LIMIT_BYTES } from './record.ts';
import { LINE_FEED, type RecordEnd } from './record-end.ts';

const RETURN = 0x0d;

/** A line without an end, of which only the beginning is kept. */
interface Endless {
  readonly kept: Buffer;
  length: number;
}

/** Cuts a stream of bytes into records; empty lines do not count. Holds a megabyte of it at most, whatever comes. */
export class RecordSplitter {
  readonly #end: RecordEnd;
  #pending: Buffer = Buffer.alloc(0);
  /** Up to where `#pending` was searched. */
  #searched = 0;
  #endless: Endless | undefined;
  #offset: number;
  #line: number;
  #crc: number;

  /** @param place Where the stream begins in the file. */
  constructor(end: RecordEnd, place: FileOffset) {
    this.#end = end;
    this.#offset = place.offset;
    this.#line = place.line;
    this.#crc = place.crc;
  }

  /** The records that end in the next bytes of the stream. */
  push(chunk: Buffer): RawRecord[] {
    const records: RawRecord[] = [];
    const rest = this.#endless === undefined ? chunk : this.#endEndless(this.#endless, chunk, records);
    this.#pending = this.#pending.length === 0 ? rest : Buffer.concat([this.#pending, rest]);
    this.#cut(records);
    // A quote that is not closed by then is taken for a stray one: its line alone is refused, and not all after it.
    if (this.#pending.length > RECORD_LIMIT_BYTES) this.#cutLines(records, RECORD_LIMIT_BYTES);
    return records;
  }

  /** The records that are left when the stream has ended. */
  finish(): RawRecord[] {
    const records: RawRecord[] = [];
    if (this.#endless !== undefined) {
      const { kept, length } = this.#endless;
      records.push(this.#record(kept, length, 1, 'too-long'));
    }
    // Within a quote that nobody closed: line by line, as far as the quotes of the others go.
    if (this.#pending.includes(LINE_FEED)) this.#cutLines(records, 0);
    if (this.#pending.length > 0) records.push(this.#take(this.#pending, 0, this.#pending.length));
    this.#pending = Buffer.alloc(0);
    return records;
  }

  /** Takes out whole records. */
  #cut(records: RawRecord[]): void {
    const bytes = this.#pending;
    let start = 0;
    for (;;) {
      start = this.#passBlank(bytes, start);
      const end = this.#end.find(bytes, Math.max(start, this.#searched));
      if (end === -1) break;
      records.push(this.#take(bytes, start, end));
      start = end + 1;
      this.#searched = start;
    }
    this.#pending = bytes.subarray(start);
    this.#searched = bytes.length - start;
  }

  /** Takes out lines as they are, one by one, while there is more than `most` and no record ends. */
  #cutLines(records: RawRecord[], most: number): void {
    while (this.#pending.length > most) {
      const end = this.#pending.indexOf(LINE_FEED);
      if (end === -1) {
        this.#end.begin();
        this.#searched = 0;
        if (most > 0) this.#beginEndless();
        return;
      }
      records.push(this.#take(this.#pending, 0, end, 'open-quote'));
      this.#pending = this.#pending.subarray(end + 1);
      this.#cutWholeLines(records);
    }
  }

  /**
   * Takes out the records that end with their first line, as far as they follow one another. The next one is within quotes
   * at the end of its line, and so was the one before it that was given up: from there on both have seen the same, and
   * what was searched for the end of that one need not be searched again. Without this, lines that leave a quote open
   * each cost a megabyte.
   */
  #cutWholeLines(records: RawRecord[]): void {
    const { seen } = this.#end;
    for (;;) {
      this.#pending = this.#pending.subarray(this.#passBlank(this.#pending, 0));
      const line = this.#pending.subarray(0, this.#pending.indexOf(LINE_FEED) + 1);
      this.#end.begin();
      if (line.length === 0) break;
      if (this.#end.find(line, 0) === -1) {
        this.#end.seen = seen;
        this.#searched = this.#pending.length;
        return;
      }
      records.push(this.#take(line, 0, line.length - 1));
      this.#pending = this.#pending.subarray(line.length);
    }
    this.#searched = 0;
    this.#cut(records);
  }

  #take(bytes: Buffer, start: number, end: number, fault?: RawRecord['fault']): RawRecord {
    const record = bytes.subarray(start, end);
    this.#pass(bytes.subarray(start, end + 1));
    const lines = 1 + count(record);
    if (record.length > RECORD_LIMIT_BYTES) {
      return this.#record(record.subarray(0, KEPT_BYTES), record.length, lines, 'too-long');
    }
    const withoutReturn = record.at(-1) === RETURN ? record.subarray(0, -1) : record;
    return this.#record(withoutReturn, record.length, lines, fault);
  }

  #record(bytes: Buffer, length: number, lines: number, fault?: RawRecord['fault']): RawRecord {
    const line = this.#line + 1;
    this.#line += lines;
    const end = { offset: this.#offset, line: this.#line, crc: this.#crc };
    return { line, bytes, length, end, ...(fault === undefined ? {} : { fault }) };
  }

  #pass(bytes: Buffer): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#offset += bytes.length;
  }

  /** Passes over the blank lines where a record would begin: one by one they would take as long as records. */
  #passBlank(bytes: Buffer, start: number): number {
    let end = start;
    for (;;) {
      const next = bytes[end] === RETURN ? end + 1 : end;
      if (bytes[next] !== LINE_FEED) break;
      end = next + 1;
      this.#line += 1;
    }
    if (end === start) return start;
    this.#pass(bytes.subarray(start, end));
    // A return may have been seen already.
    this.#end.begin();
    return end;
  }

  #beginEndless(): void {
    this.#endless = { kept: Buffer.from(this.#pending.subarray(0, KEPT_BYTES)), length: this.#pending.length };
    this.#pass(this.#pending);
    this.#pending = Buffer.alloc(0);
  }

  /** Returns what comes after its end. */
  #endEndless(endless: Endless, chunk: Buffer, records: RawRecord[]): Buffer {
    const end = chunk.indexOf(LINE_FEED);
    const passed = end === -1 ? chunk : chunk.subarray(0, end + 1);
    this.#pass(passed);
    endless.length += end === -1 ? chunk.length : end;
    if (end === -1) return Buffer.alloc(0);
    this.#endless = undefined;
    records.push(this.#record(endless.kept, endless.length, 1, 'too-long'));
    return chunk.subarray(end + 1);
  }
}

/** How many lines end in these bytes. */
export function count(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}
