/** What files are that cannot be imported, as their first bytes say. Pure. */

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
