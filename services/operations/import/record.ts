export type Format = 'ndjson' | 'csv';

/** A call has at most as many bytes as a request to `/v1/identify` or `/v1/track` may have: 32 KB. */
export const CALL_LIMIT_BYTES = 32_768;

/** A line, or a record of CSV, may be longer than its call: most of it may be left out. What is longer is not held. */
export const RECORD_LIMIT_BYTES = 1_048_576;

/** What is kept of a record that is too long, and told of one that was refused. */
export const KEPT_BYTES = 4_096;

/** An offset between two records of the file: everything before it has been imported. */
export interface FileOffset {
  /** In the file as it is unpacked. */
  readonly offset: number;
  /** Lines begun before it. */
  readonly line: number;
  /** CRC-32 of all bytes before it. */
  readonly crc: number;
}

export const BEGINNING: FileOffset = { offset: 0, line: 0, crc: 0 };

/** A line of NDJSON or a record of CSV (which may go over several lines), as it stands in the file. */
export interface RawRecord {
  /** The line where it begins; the first is 1. */
  readonly line: number;
  /** Without the end of its line; only the beginning of what is too long. */
  readonly bytes: Buffer;
  /** Its length in bytes. */
  readonly length: number;
  /** What can be said of it without reading it. */
  readonly fault?: 'too-long' | 'open-quote';
  /** Where the next one begins. */
  readonly end: FileOffset;
}
