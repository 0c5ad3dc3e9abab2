/**
 * The file `head`: up to where the log is flushed. It is written after every flush and flushed itself only when the log is
 * closed, so after a power cut it may be old, but never ahead.
 *
 *     magic     u32   TMH1
 *     checksum  u32   CRC-32 of what follows
 *     version   u32
 *     segment   f64   number of the segment
 *     end       f64   the flushed end in it
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { FileOperations } from './files.ts';

export const HEAD_FILE = 'head';

const HEAD_MAGIC = 0x31_48_4d_54;
const HEAD_BYTES = 28;
const HEAD_VERSION = 1;

/** A place in the log: what lies before it is on the disk. */
export interface LogEnd {
  readonly segment: number;
  readonly end: number;
}

/** Undefined where there is no head, or a damaged one. @throws TidemarkError `LOG_FOREIGN` where a newer version wrote it. */
export function readHead(files: FileOperations, folder: string): LogEnd | undefined {
  if (!files.names(folder).includes(HEAD_FILE)) return undefined;
  const descriptor = files.open(join(folder, HEAD_FILE), 'read');
  const bytes = Buffer.alloc(HEAD_BYTES);
  try {
    if (files.read(descriptor, bytes, 0) < HEAD_BYTES) return undefined;
  } finally {
    files.close(descriptor);
  }
  if (bytes.readUInt32LE(0) !== HEAD_MAGIC || bytes.readUInt32LE(4) !== crc32(bytes.subarray(8))) return undefined;
  const version = bytes.readUInt32LE(8);
  if (version > HEAD_VERSION) {
    const message = `${folder} holds an event log of version ${version}; this version reads up to ${HEAD_VERSION}`;
    throw new TidemarkError('LOG_FOREIGN', message);
  }
  return { segment: bytes.readDoubleLE(12), end: bytes.readDoubleLE(20) };
}

/** The head, opened to be written. */
export class Head {
  readonly #files: FileOperations;
  readonly #descriptor: number;
  readonly #bytes = Buffer.alloc(HEAD_BYTES);

  constructor(files: FileOperations, folder: string) {
    this.#files = files;
    const exists = files.names(folder).includes(HEAD_FILE);
    this.#descriptor = files.open(join(folder, HEAD_FILE), exists ? 'write' : 'create');
    this.#bytes.writeUInt32LE(HEAD_MAGIC, 0);
    this.#bytes.writeUInt32LE(HEAD_VERSION, 8);
  }

  write({ segment, end }: LogEnd): void {
    this.#bytes.writeDoubleLE(segment, 12);
    this.#bytes.writeDoubleLE(end, 20);
    this.#bytes.writeUInt32LE(crc32(this.#bytes.subarray(8)), 4);
    this.#files.write(this.#descriptor, [this.#bytes], 0);
  }

  flush(): void {
    this.#files.flush(this.#descriptor);
  }

  close(): void {
    this.#files.close(this.#descriptor);
  }
}
