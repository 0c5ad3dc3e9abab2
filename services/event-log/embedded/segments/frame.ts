/**
 * The format of a segment: frames, one after the other. A commit of the log is one frame, which has the chunks of all its
 * partitions. Numbers are little-endian.
 *
 *     magic        u32   TMF1, with the version of the format
 *     checksum     u32   CRC-32 of the segment's name and of all that follows up to the chunks
 *     position     u32   where the frame begins in the segment
 *     length       u32   bytes of the whole frame
 *     kind         u32
 *     chunks       u32   number of chunks
 *     body         u32   bytes of the body
 *     chunks times: partition u32, records u32, bytes u32, first offset f64
 *     the body, then the chunks (chunk.ts), each with a checksum of its own
 *
 * The name of a segment is random in part and begins every checksum, so that nothing in a record can pass for a frame.
 */
import { crc32 } from 'node:zlib';
import type { SegmentFile } from './segment-file.ts';

const FRAME_MAGIC = 0x31_46_4d_54;
export const MAGIC_BYTES = Buffer.from('TMF1');
export const FRAME_HEADER_BYTES = 28;
const TABLE_ENTRY_BYTES = 20;

/** The most that a frame may have, so that a position in a segment fits into 32 bits. */
export const MAX_FRAME_BYTES = 2 ** 30;

export const FRAME_KIND = {
  /** Chunks and notes. The body is JSON: `CommitBody`, or empty. */
  commit: 1,
  /** The first frame of a segment, which is there twice. The body is JSON: `SegmentBeginning`. */
  beginning: 2,
  /** The last frame of a segment that is full. The body is its index (segment-index.ts). */
  index: 3,
} as const;

/** Where a chunk lies in a segment. */
export interface ChunkEntry {
  /** Index of its partition. */
  readonly partition: number;
  /** Offset of its first record. */
  readonly first: number;
  readonly count: number;
  readonly position: number;
  readonly length: number;
}

export interface Frame {
  readonly kind: number;
  readonly position: number;
  /** Where the next frame begins. */
  readonly end: number;
  readonly chunks: readonly ChunkEntry[];
  readonly body: Buffer;
}

export interface FrameParts {
  readonly kind: number;
  readonly chunks: readonly Omit<ChunkEntry, 'position'>[];
  readonly body: Buffer;
}

/** Bytes of the frame. */
export function frameBytesOf({ chunks, body }: Omit<FrameParts, 'kind'>): number {
  return chunks.reduce((sum, { length }) => sum + length, headBytes(chunks.length, body.length));
}

/** What stands before the chunks. @param seed That of the segment. */
export function encodeHead(seed: number, position: number, { kind, chunks, body }: FrameParts): Buffer {
  const head = Buffer.allocUnsafe(headBytes(chunks.length, body.length));
  head.writeUInt32LE(FRAME_MAGIC, 0);
  head.writeUInt32LE(position, 8);
  head.writeUInt32LE(frameBytesOf({ chunks, body }), 12);
  head.writeUInt32LE(kind, 16);
  head.writeUInt32LE(chunks.length, 20);
  head.writeUInt32LE(body.length, 24);
  let at = FRAME_HEADER_BYTES;
  for (const { partition, count, length, first } of chunks) {
    head.writeUInt32LE(partition, at);
    head.writeUInt32LE(count, at + 4);
    head.writeUInt32LE(length, at + 8);
    head.writeDoubleLE(first, at + 12);
    at += TABLE_ENTRY_BYTES;
  }
  head.set(body, at);
  head.writeUInt32LE(crc32(head.subarray(8), seed), 4);
  return head;
}

/** The frame at a position, its chunks not looked at; undefined without a valid one that ends before `limit`. */
export function readFrame(file: SegmentFile, position: number, limit: number): Frame | undefined {
  const header = file.bytes(position, FRAME_HEADER_BYTES, limit);
  if (header === undefined || header.readUInt32LE(0) !== FRAME_MAGIC || header.readUInt32LE(8) !== position)
    return undefined;
  const [length, kind] = [header.readUInt32LE(12), header.readUInt32LE(16)];
  const [count, bodyBytes] = [header.readUInt32LE(20), header.readUInt32LE(24)];
  const bytes = headBytes(count, bodyBytes);
  if (length > MAX_FRAME_BYTES || bytes > length || position + length > limit) return undefined;
  const head = file.bytes(position, bytes, limit);
  if (head === undefined || head.readUInt32LE(4) !== crc32(head.subarray(8), file.seed)) return undefined;
  const chunks: ChunkEntry[] = [];
  let chunkAt = position + bytes;
  for (let i = 0, at = FRAME_HEADER_BYTES; i < count; i++, at += TABLE_ENTRY_BYTES) {
    const entry = {
      partition: head.readUInt32LE(at),
      count: head.readUInt32LE(at + 4),
      length: head.readUInt32LE(at + 8),
      first: head.readDoubleLE(at + 12),
      position: chunkAt,
    };
    chunks.push(entry);
    chunkAt += entry.length;
  }
  if (chunkAt !== position + length) return undefined;
  return { kind, position, end: chunkAt, chunks, body: head.subarray(bytes - bodyBytes) };
}

/**
 * The frames that begin from `from` on and end before `limit`, in order. Where something else lies between two, it is
 * passed: the second does not begin where the first ends.
 */
export function* framesIn(file: SegmentFile, from: number, limit: number): Generator<Frame> {
  let at = from;
  for (;;) {
    const frame = readFrame(file, at, limit) ?? nextFrame(file, at + 1, limit);
    if (frame === undefined) return;
    yield frame;
    at = frame.end;
  }
}

function nextFrame(file: SegmentFile, from: number, limit: number): Frame | undefined {
  for (let at = file.find(MAGIC_BYTES, from, limit); at !== undefined; at = file.find(MAGIC_BYTES, at + 1, limit)) {
    const frame = readFrame(file, at, limit);
    if (frame !== undefined) return frame;
  }
  return undefined;
}

function headBytes(chunks: number, body: number): number {
  return FRAME_HEADER_BYTES + chunks * TABLE_ENTRY_BYTES + body;
}
