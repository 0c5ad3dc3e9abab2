/**
 * The format of a segment of the spool: one frame for each record, with its length and checksums, so that an incomplete
 * write or damage is detected and costs no other record.
 */
import { crc32 } from 'node:zlib';
import type { NewRecord } from '../event-log.ts';

/** The content of a segment. */
export interface Frames {
  readonly records: readonly NewRecord[];
  /** When the first of them was appended: milliseconds since 1970, by our clock. */
  readonly firstAtMs: number | undefined;
  /** Bytes that are not valid frames. */
  readonly damaged: readonly Range[];
  /** Length of an incomplete frame at the end: a write that a crash interrupted, and that was not acknowledged. */
  readonly tornBytes: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

// A frame's header: the mark (with the format's version), the content's length and CRC-32, and the CRC-32 of these twelve bytes.
const FRAME_MARK = Buffer.from('TMs1');
const FRAME_HEADER_BYTES = 16;
// The content's head, before topic, key and value: when it was appended, and the lengths of topic and key.
const CONTENT_HEAD_BYTES = 12;

/** The records as frames, in order. */
export function encodeFrames(records: readonly NewRecord[], atMs: number): Buffer {
  const bytes = Buffer.allocUnsafe(records.reduce((sum, record) => sum + FRAME_HEADER_BYTES + contentBytes(record), 0));
  let at = 0;
  for (const record of records) at = writeFrame(bytes, at, record, atMs);
  return bytes;
}

/** Reads a whole segment and skips damaged frames. Records share the segment's memory. Pure. */
export function readFrames(bytes: Buffer): Frames {
  const records: NewRecord[] = [];
  const damaged: Range[] = [];
  let firstAtMs: number | undefined;
  let at = 0;
  while (at < bytes.length) {
    const from = at;
    const length = contentLengthAt(bytes, at);
    if (length === undefined && bytes.length - at >= FRAME_HEADER_BYTES) {
      at = nextHeader(bytes, at + 1);
      damaged.push({ from, to: at });
      continue;
    }
    const content = at + FRAME_HEADER_BYTES;
    if (length === undefined || content + length > bytes.length) break;
    at = content + length;
    const record = recordIn(bytes.subarray(content, at), bytes.readUInt32LE(from + 8));
    if (record === undefined) damaged.push({ from, to: at });
    else {
      records.push(record);
      firstAtMs ??= bytes.readDoubleLE(content);
    }
  }
  return { records, firstAtMs, damaged, tornBytes: bytes.length - at };
}

function contentBytes({ topic, key, value }: NewRecord): number {
  return CONTENT_HEAD_BYTES + Buffer.byteLength(topic) + key.byteLength + value.byteLength;
}

function writeFrame(bytes: Buffer, at: number, record: NewRecord, atMs: number): number {
  const { topic, key, value } = record;
  const content = at + FRAME_HEADER_BYTES;
  bytes.writeDoubleLE(atMs, content);
  const topicBytes = bytes.write(topic, content + CONTENT_HEAD_BYTES);
  bytes.writeUInt16LE(topicBytes, content + 8);
  bytes.writeUInt16LE(key.byteLength, content + 10);
  bytes.set(key, content + CONTENT_HEAD_BYTES + topicBytes);
  bytes.set(value, content + CONTENT_HEAD_BYTES + topicBytes + key.byteLength);
  const end = content + CONTENT_HEAD_BYTES + topicBytes + key.byteLength + value.byteLength;
  bytes.set(FRAME_MARK, at);
  bytes.writeUInt32LE(end - content, at + 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(content, end)), at + 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 12)), at + 12);
  return end;
}

/** Returns undefined where there is no complete, valid header of a frame. */
function contentLengthAt(bytes: Buffer, at: number): number | undefined {
  if (
    bytes.length - at < FRAME_HEADER_BYTES ||
    bytes.compare(FRAME_MARK, 0, FRAME_MARK.length, at, at + FRAME_MARK.length) !== 0
  )
    return undefined;
  if (bytes.readUInt32LE(at + 12) !== crc32(bytes.subarray(at, at + 12))) return undefined;
  const length = bytes.readUInt32LE(at + 4);
  return length < CONTENT_HEAD_BYTES ? undefined : length;
}

/** The position of the next valid header, or the end. */
function nextHeader(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(FRAME_MARK, from); at !== -1; at = bytes.indexOf(FRAME_MARK, at + 1)) {
    if (contentLengthAt(bytes, at) !== undefined) return at;
  }
  return bytes.length;
}

function recordIn(content: Buffer, checksum: number): NewRecord | undefined {
  if (crc32(content) !== checksum) return undefined;
  const key = CONTENT_HEAD_BYTES + content.readUInt16LE(8);
  const value = key + content.readUInt16LE(10);
  if (value > content.length) return undefined;
  const topic = content.toString('utf8', CONTENT_HEAD_BYTES, key);
  return { topic, key: content.subarray(key, value), value: content.subarray(value) };
}
