/**
 * The segments that Tidemark 0.2 wrote: one frame for each record, with its length and checksums. What waits in them is put
 * into the log of the spool. This file goes in a later version.
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../runtime/logger.ts';
import type { NewRecord } from '../event-log.ts';

export const OLD_SEGMENT = /^\d{16}\.spool$/;

// A frame's header: the mark, the content's length and CRC-32, and the CRC-32 of these twelve bytes.
const FRAME_MARK = 'TMs1';
const FRAME_HEADER_BYTES = 16;
// The content's head, before topic, key and value: when it was appended, and the lengths of topic and key.
const CONTENT_HEAD_BYTES = 12;

/**
 * Puts the records of the old segments in a folder into a spool, before anything else is. A damaged segment is kept aside.
 *
 * @param append Resolves once the records are on disk.
 */
export async function takeOver(
  folder: string,
  append: (records: readonly NewRecord[]) => Promise<void>,
  logger: Pick<Logger, 'error'>,
): Promise<void> {
  for (const name of (await readdir(folder)).filter((name) => OLD_SEGMENT.test(name)).toSorted()) {
    const path = join(folder, name);
    const bytes = await readFile(path);
    const { records, isWhole } = readFrames(bytes);
    if (records.length > 0) await append(records);
    if (isWhole) await rm(path);
    else {
      await rename(path, `${path}.kept`);
      logger.error({ path: `${path}.kept` }, 'a segment of the spool is damaged: kept aside');
    }
  }
}

/** Skips what is not a valid frame, such as a write at the end that a crash interrupted. Pure. */
export function readFrames(bytes: Buffer): { readonly records: readonly NewRecord[]; readonly isWhole: boolean } {
  const records: NewRecord[] = [];
  let isWhole = true;
  for (let at = 0; at < bytes.length;) {
    const length = contentLengthAt(bytes, at);
    const end = at + FRAME_HEADER_BYTES + (length ?? 0);
    const record =
      length === undefined
        ? undefined
        : recordIn(bytes.subarray(at + FRAME_HEADER_BYTES, end), bytes.readUInt32LE(at + 8));
    if (record !== undefined) records.push(record);
    else isWhole = false;
    at = length === undefined ? nextMark(bytes, at + 1) : end;
  }
  return { records, isWhole };
}

/** Returns undefined where there is no valid header of a frame. */
function contentLengthAt(bytes: Buffer, at: number): number | undefined {
  const header = bytes.subarray(at, at + FRAME_HEADER_BYTES);
  if (header.length < FRAME_HEADER_BYTES || header.toString('latin1', 0, 4) !== FRAME_MARK) return undefined;
  return header.readUInt32LE(12) === crc32(header.subarray(0, 12)) ? header.readUInt32LE(4) : undefined;
}

function nextMark(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(FRAME_MARK, from);
  return at === -1 ? bytes.length : at;
}

function recordIn(content: Buffer, checksum: number): NewRecord | undefined {
  if (content.length < CONTENT_HEAD_BYTES || crc32(content) !== checksum) return undefined;
  const key = CONTENT_HEAD_BYTES + content.readUInt16LE(8);
  const value = key + content.readUInt16LE(10);
  const topic = content.toString('utf8', CONTENT_HEAD_BYTES, key);
  return { topic, key: content.subarray(key, value), value: content.subarray(value) };
}
