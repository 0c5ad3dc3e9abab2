import { crc32 } from 'node:zlib';
import { isWhiteSpace } from './judge.ts';
import { BEGINNING, type FileOffset, RECORD_LIMIT_BYTES } from './record.ts';
import { LINE_FEED } from './record-end.ts';
import { count } from './split.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Enough bytes to show what a file is. */
const ENOUGH_BYTES = 1_024;

/** Where the first line begins that is not blank. */
export interface FirstLine {
  /** From the beginning of that line on. */
  readonly bytes: Buffer;
  /** The first byte that is not white space; undefined where a line of white space is too long. */
  readonly first: number | undefined;
  readonly place: FileOffset;
}

/** Looks for the first line of a file. Holds no more of it than one line may have, however many blank ones come first. */
export class Beginning {
  #bytes: Buffer = Buffer.alloc(0);
  #place = BEGINNING;

  /** The first line, once enough of it is there. */
  push(chunk: Buffer): FirstLine | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length < BYTE_ORDER_MARK.length) return undefined;
    const first = this.#pass();
    const isEnough = first !== -1 && this.#bytes.length - first >= ENOUGH_BYTES;
    return isEnough || this.#bytes.length > RECORD_LIMIT_BYTES ? this.#begun(first) : undefined;
  }

  /** The first line of a file that ends here; undefined where all of it is blank. */
  finish(): FirstLine | undefined {
    const first = this.#pass();
    return first === -1 ? undefined : this.#begun(first);
  }

  #begun(first: number): FirstLine {
    return { bytes: this.#bytes, first: this.#bytes[first], place: this.#place };
  }

  /** Leaves out a byte order mark and blank lines. The index of the first byte that is not white space, -1 for none. */
  #pass(): number {
    const hasMark = this.#place.offset === 0 && this.#bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    if (hasMark) this.#leaveOut(BYTE_ORDER_MARK.length);
    const first = this.#bytes.findIndex((byte) => byte !== LINE_FEED && !isWhiteSpace(byte));
    const blank = this.#bytes.subarray(0, first === -1 ? this.#bytes.length : first).lastIndexOf(LINE_FEED) + 1;
    this.#leaveOut(blank);
    return first === -1 ? -1 : first - blank;
  }

  #leaveOut(length: number): void {
    const bytes = this.#bytes.subarray(0, length);
    const { offset, line, crc } = this.#place;
    this.#place = { offset: offset + length, line: line + count(bytes), crc: crc32(bytes, crc) };
    this.#bytes = this.#bytes.subarray(length);
  }
}

// Files that cannot be imported.

const AS_CSV = 'Save it as CSV in UTF-8.';
const UNPACK = 'Unpack it; only gzip and zstd are unpacked by an import.';
const CONVERT = 'Convert it to CSV or to NDJSON.';

/** How their text begins, a byte a character. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['(\xb5/\xfd', 'is compressed by zstd twice. Unpack it once.'],
  ['\x1f\x8b', 'is compressed by gzip twice. Unpack it once.'],
  ['BZh', `is compressed by bzip2. ${UNPACK}`],
  ['\xfd7zXZ\0', `is compressed by xz. ${UNPACK}`],
  ['\x04"M\x18', `is compressed by lz4. ${UNPACK}`],
  ['7z\xbc\xaf\x27\x1c', `is a 7z archive. ${UNPACK}`],
  ['Rar!\x1a\x07', `is a RAR archive. ${UNPACK}`],
  ['PAR1', `is Parquet. ${CONVERT}`],
  ['Obj\x01', `is Avro. ${CONVERT}`],
  ['ARROW1\0', `is Arrow. ${CONVERT}`],
  ['ORC', `is ORC. ${CONVERT}`],
  ['SQLite format 3\0', `is a database of SQLite. ${CONVERT}`],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', `is an old file of Office (.xls and the like). ${AS_CSV}`],
  ['%PDF-', `is a PDF. ${CONVERT}`],
  ['\xff\xfe', 'is UTF-16. Say so: its encoding is utf-16le.'],
  ['\xfe\xff', 'is UTF-16. Say so: its encoding is utf-16be.'],
];

/** Formats whose names could as well begin a text. */
const TEXTS = new Set(['PAR1', 'ORC', 'BZh']);

/**
 * What a file is that begins so, and what to do, to go on from "The file"; undefined where it may be text.
 *
 * @param bytes The first kilobyte; all where it is shorter.
 */
export function describeForeign(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1', 0, 1_024);
  const binary = isBinary(bytes);
  const [, found] = BEGINNINGS.find(([magic]) => text.startsWith(magic) && (binary || !TEXTS.has(magic))) ?? [];
  if (found !== undefined) return found;
  if (text.startsWith('PK\x03\x04')) return describeZip(text);
  if (/^\s*<(?:!doctype\s|html|\?xml|head|body)/i.test(text)) return `is an HTML or XML page. ${CONVERT}`;
  if (text.slice(0, 4).includes('\0')) return 'begins with zero bytes: it is no text, or not in UTF-8.';
  return undefined;
}

/** Whether there are control characters in the first kilobyte that no text has. */
export function isBinary(bytes: Buffer): boolean {
  return /[^\t\r\n -~\x80-\xff]/.test(bytes.toString('latin1', 0, 1_024));
}

/** By the names of what is in it. */
function describeZip(text: string): string {
  if (text.includes('[Content_Types].xml') || text.includes('xl/')) return `is a workbook of Excel (.xlsx). ${AS_CSV}`;
  if (text.includes('opendocument')) return `is a sheet of OpenDocument (.ods). ${AS_CSV}`;
  return `is a ZIP archive. ${UNPACK}`;
}
