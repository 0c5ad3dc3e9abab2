/**
 * The records of a range of one partition in a file of a backup, in order. Numbers are little-endian:
 *
 *     offset u64, appendedAt f64 (milliseconds since 1970), key length u32, value length u32, key, value
 *
 * A record that was erased is blank: it has neither key nor value. An offset that is left out has no record.
 */
import { isBlank } from '../../event-log/blank.ts';
import type { LogRecord } from '../../event-log/event-log.ts';
import { writeStored } from './stored-file.ts';

const HEADER_BYTES = 24;
/** No log takes a record of this size. */
const MAX_RECORD_BYTES = 64 * 2 ** 20;

/**
 * Writes records into a new file, and flushes it. Stops after the piece with which the records reach `upToBytes`, counted
 * before they are compressed.
 *
 * @throws as `writeStored`.
 */
export async function writeRecords(
  folder: string,
  file: string,
  pieces: AsyncIterable<readonly LogRecord[]>,
  signal: AbortSignal,
  upToBytes = Infinity,
) {
  let [records, blank, bytes]: [number, number, number] = [0, 0, 0];
  let last: LogRecord | undefined;
  const encoded = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const encodedPiece = encodeRecords(piece);
      records += piece.length;
      blank += piece.filter(isBlank).length;
      bytes += encodedPiece.length;
      last = piece.at(-1);
      yield encodedPiece;
      if (bytes >= upToBytes) return;
    }
  };
  const stored = await writeStored(folder, file, encoded(), signal);
  return { stored, records, blank, bytes, last };
}

/** Pure. */
export function encodeRecords(records: readonly LogRecord[]): Buffer {
  const bytes = records.reduce((sum, { key, value }) => sum + HEADER_BYTES + key.length + value.length, 0);
  const target = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const { offset, appendedAtMs, key, value } of records) {
    target.writeBigUInt64LE(offset, at);
    target.writeDoubleLE(appendedAtMs, at + 8);
    target.writeUInt32LE(key.length, at + 16);
    target.writeUInt32LE(value.length, at + 20);
    target.set(key, at + HEADER_BYTES);
    target.set(value, at + HEADER_BYTES + key.length);
    at += HEADER_BYTES + key.length + value.length;
  }
  return target;
}

/**
 * The records of what `encodeRecords` wrote, whatever pieces it comes in. Their bytes are views of the pieces.
 *
 * @throws Error where the bytes are no records.
 */
export async function* decodeRecords(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly LogRecord[]> {
  let waiting: Buffer[] = [];
  // How many bytes of these, and how many are a record.
  let [length, wanted] = [0, HEADER_BYTES];
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < wanted) continue;
    const bytes = Buffer.concat(waiting);
    const records: LogRecord[] = [];
    let [at, end] = [0, endOfRecord(bytes, 0)];
    while (end <= bytes.length) {
      records.push(recordBetween(bytes, at, end));
      [at, end] = [end, endOfRecord(bytes, end)];
    }
    [waiting, length, wanted] = [[bytes.subarray(at)], bytes.length - at, end - at];
    if (records.length > 0) yield records;
  }
  if (length > 0) throw new Error('the last record is cut off');
}

/** The end of its header where not all of that is there. */
function endOfRecord(bytes: Buffer, at: number): number {
  const keyAt = at + HEADER_BYTES;
  if (bytes.length < keyAt) return keyAt;
  const length = bytes.readUInt32LE(at + 16) + bytes.readUInt32LE(at + 20);
  if (length > MAX_RECORD_BYTES) throw new Error(`a record of ${length} bytes cannot be`);
  return keyAt + length;
}

function recordBetween(bytes: Buffer, at: number, end: number): LogRecord {
  const keyAt = at + HEADER_BYTES;
  const valueAt = keyAt + bytes.readUInt32LE(at + 16);
  const [key, value] = [bytes.subarray(keyAt, valueAt), bytes.subarray(valueAt, end)];
  return { offset: bytes.readBigUInt64LE(at), appendedAtMs: bytes.readDoubleLE(at + 8), key, value };
}
