/**
 * Consecutive records of one partition, which are stored and checked as one. Numbers are little-endian.
 *
 *     checksum     u32   CRC-32 of topic, partition and first offset, and of all that follows
 *     count        u32
 *     appendedAt   f64   milliseconds since 1970
 *     count times: key length u32, value length u32, key, value
 *
 * A record that was erased is blank: its key length is 0xFFFFFFFF, and its value, of zeros, takes what key and value took.
 * One of no length with this key length is an offset without a record.
 */
import { crc32 } from 'node:zlib';
import { blankRecord } from '../../blank.ts';
import type { LogRecord, NewRecord } from '../../event-log.ts';
import type { LogPartition } from './layout.ts';

export const CHUNK_HEADER_BYTES = 16;
/** Also the least that a record takes. */
export const RECORD_HEADER_BYTES = 8;
const BLANK = 0xffff_ffff;

/** The number of bytes that a record takes in its chunk. */
export function chunkBytesOf(record: Pick<NewRecord, 'key' | 'value'>): number {
  return RECORD_HEADER_BYTES + record.key.length + record.value.length;
}

/** Writes a record at `at`. Returns the position of the next one. */
export function writeRecord(target: Uint8Array, view: DataView, at: number, { key, value }: NewRecord): number {
  view.setUint32(at, key.length, true);
  view.setUint32(at + 4, value.length, true);
  target.set(key, at + RECORD_HEADER_BYTES);
  target.set(value, at + RECORD_HEADER_BYTES + key.length);
  return at + RECORD_HEADER_BYTES + key.length + value.length;
}

/** Writes a blank record of no length at `at`: an offset without a record. Returns the position of the next one. */
export function writeBlank(view: DataView, at: number): number {
  view.setUint32(at, BLANK, true);
  view.setUint32(at + 4, 0, true);
  return at + RECORD_HEADER_BYTES;
}

/** Fills in the header of a chunk whose records are written. @param seed CRC-32 of topic, partition and first offset. */
export function sealChunk(chunk: Buffer, count: number, appendedAtMs: number, seed: number): void {
  chunk.writeUInt32LE(count, 4);
  chunk.writeDoubleLE(appendedAtMs, 8);
  chunk.writeUInt32LE(crc32(chunk.subarray(4), seed), 0);
}

export interface Limits {
  readonly records: number;
  readonly bytes: number;
  /** Yield the first record whatever its size. */
  readonly atLeastOne: boolean;
  /** The offset to stop before. */
  readonly end: number;
}

const offsetBytes = Buffer.alloc(8);

/**
 * The initial value of the checksum of a chunk that begins at an offset. 48 of the 64 bits are used: 281 trillion records
 * a partition.
 */
export function seedOf({ seed }: Pick<LogPartition, 'seed'>, first: number): number {
  offsetBytes.writeUIntBE(first, 2, 6);
  return crc32(offsetBytes, seed);
}

/** Whether a chunk's checksum fits. */
export function isIntact(chunk: Buffer, seed: number): boolean {
  return chunk.length >= CHUNK_HEADER_BYTES && chunk.readUInt32LE(0) === crc32(chunk.subarray(4), seed);
}

/** What a read within one chunk added to the records. */
export interface ChunkRead {
  /** The offset to read next. It advances over offsets without a record, so it may move although nothing was added. */
  readonly next: number;
  /** The bytes of the keys and values that were added. */
  readonly bytes: number;
}

/**
 * Adds the records of a checked chunk from offset `from` on to `records`, until there are `limits.records` of them or the
 * added ones reach `limits.bytes` of keys and values. They are views of the chunk's memory.
 */
export function readRecords(
  chunk: Buffer,
  firstOffset: number,
  from: number,
  limits: Limits,
  records: LogRecord[],
): ChunkRead {
  const appendedAtMs = chunk.readDoubleLE(8);
  const end = Math.min(limits.end, firstOffset + chunk.readUInt32LE(4));
  let at = CHUNK_HEADER_BYTES;
  let bytes = 0;
  let offset = firstOffset;
  for (; offset < end && records.length < limits.records; offset++) {
    const keyAt = at + RECORD_HEADER_BYTES;
    const keyLength = chunk.readUInt32LE(at);
    const valueAt = keyLength === BLANK ? keyAt : keyAt + keyLength;
    const valueEnd = valueAt + chunk.readUInt32LE(at + 4);
    at = valueEnd;
    if (offset < from) continue;
    if (keyLength === BLANK) {
      if (valueEnd === valueAt) continue;
      records.push(blankRecord({ offset: BigInt(offset), appendedAtMs }));
      continue;
    }
    const fits = bytes + valueEnd - keyAt <= limits.bytes || (limits.atLeastOne && records.length === 0);
    if (!fits) break;
    bytes += valueEnd - keyAt;
    const key = chunk.subarray(keyAt, valueAt);
    records.push({ offset: BigInt(offset), appendedAtMs, key, value: chunk.subarray(valueAt, valueEnd) });
  }
  return { next: Math.max(from, offset), bytes };
}

/** Bytes of a chunk, from `at` to before `end`. */
export interface ChunkPart {
  readonly at: number;
  readonly end: number;
}

/** Where a chunk has its checksum. */
export const CHECKSUM_PART: ChunkPart = { at: 0, end: 4 };

/** Makes records of a checked chunk blank and its checksum new. Returns where those are that were not blank before. */
export function blankRecords(
  chunk: Buffer,
  firstOffset: number,
  offsets: ReadonlySet<number>,
  seed: number,
): readonly ChunkPart[] {
  const end = firstOffset + chunk.readUInt32LE(4);
  let at = CHUNK_HEADER_BYTES;
  const blanked: ChunkPart[] = [];
  for (let offset = firstOffset; offset < end; offset++) {
    const keyLength = chunk.readUInt32LE(at);
    const bytes = (keyLength === BLANK ? 0 : keyLength) + chunk.readUInt32LE(at + 4);
    if (keyLength !== BLANK && offsets.has(offset)) {
      chunk.writeUInt32LE(BLANK, at);
      chunk.writeUInt32LE(bytes, at + 4);
      chunk.fill(0, at + RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES + bytes);
      blanked.push({ at, end: at + RECORD_HEADER_BYTES + bytes });
    }
    at += RECORD_HEADER_BYTES + bytes;
  }
  chunk.writeUInt32LE(crc32(chunk.subarray(4), seed), 0);
  return blanked;
}
