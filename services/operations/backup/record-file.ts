/**
 * The records of a range of one partition in a file of a backup, in order. Numbers are little-endian:
 *
 *     offset u64, appendedAt f64 (milliseconds since 1970), key length u32, value length u32, key, value
 *
 * A record that was erased is blank: it has neither key nor value. An offset that is left out has no record.
 */
import type { LogRecord } from '../../event-log/event-log.ts';

const HEADER_BYTES = 24;
/** No log takes a record of this size. */
const MAX_RECORD_BYTES = 256 * 2 ** 20;

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
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const records: LogRecord[] = [];
    let at = 0;
    for (let next = recordAt(bytes, at); next !== undefined; next = recordAt(bytes, at)) {
      records.push(next.record);
      at = next.end;
    }
    rest = bytes.subarray(at);
    if (records.length > 0) yield records;
  }
  if (rest.length > 0) throw new Error('the last record is cut off');
}

/** Undefined where not all of it is there. */
function recordAt(bytes: Buffer, at: number): { readonly record: LogRecord; readonly end: number } | undefined {
  const keyAt = at + HEADER_BYTES;
  if (bytes.length < keyAt) return undefined;
  const valueAt = keyAt + bytes.readUInt32LE(at + 16);
  const end = valueAt + bytes.readUInt32LE(at + 20);
  if (end - keyAt > MAX_RECORD_BYTES) throw new Error(`a record of ${end - keyAt} bytes cannot be`);
  if (bytes.length < end) return undefined;
  const [key, value] = [bytes.subarray(keyAt, valueAt), bytes.subarray(valueAt, end)];
  const record = { offset: bytes.readBigUInt64LE(at), appendedAtMs: bytes.readDoubleLE(at + 8), key, value };
  return { record, end };
}
