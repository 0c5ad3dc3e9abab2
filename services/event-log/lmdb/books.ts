/** The log's own books: records by name, each behind a CRC-32 of its name and itself. */
import type { Database } from 'lmdb';
import { crc32 } from 'node:zlib';
import { damaged } from './errors.ts';

type Checkpoints = Database<Buffer, Uint8Array>;

const CHECKSUM_BYTES = 4;

/** @throws TidemarkError `LOG_DAMAGED` where the checksum does not fit. */
export function read(books: Checkpoints, key: Buffer): Buffer | undefined {
  const bytes = books.getBinary(key);
  if (bytes === undefined) return undefined;
  const body = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.length < CHECKSUM_BYTES || bytes.readUInt32LE(0) !== crc32(body, crc32(key))) {
    throw damaged(`the checksum of the event log's ${key.toString()} does not fit`);
  }
  return body;
}

/** Within a transaction. */
export function write(books: Checkpoints, key: Buffer, body: Buffer): void {
  const bytes = Buffer.allocUnsafe(CHECKSUM_BYTES + body.length);
  body.copy(bytes, CHECKSUM_BYTES);
  bytes.writeUInt32LE(crc32(body, crc32(key)), 0);
  books.putSync(key, bytes);
}
