/** The file to import as a stream of unpacked bytes. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip, crc32 } from 'node:zlib';
import { TidemarkError } from '../../runtime/errors.ts';
import type { FileOffset } from './record.ts';

/** What tells a file from another: enough that one that was changed is noticed before anything of it is imported. */
export interface FileIdentity {
  readonly bytes: number;
  /** SHA-256 of its size, its first 64 KB and its last. */
  readonly hash: string;
}

/** How much of the input was read, packed as it is. */
export interface ReadSoFar {
  bytes: number;
}

/** Small, since each byte may be a line. */
const CHUNK_BYTES = 64 * 1024;
const HASHED_BYTES = 64 * 1024;

export async function identify(file: FileHandle): Promise<FileIdentity> {
  const { size } = await file.stat();
  const hash = createHash('sha256').update(`${size}:`);
  hash.update(await readAt(file, 0));
  hash.update(await readAt(file, Math.max(0, size - HASHED_BYTES)));
  return { bytes: size, hash: hash.digest('hex').slice(0, 32) };
}

async function readAt(file: FileHandle, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HASHED_BYTES), 0, HASHED_BYTES, position);
  return buffer.subarray(0, bytesRead);
}

/**
 * The bytes of a file from its beginning on; unpacked where they begin as gzip does. The file stays open. Once the signal
 * aborts it fails at the next chunk, and does not wait for one.
 */
export async function* readInput(file: FileHandle, read: ReadSoFar, signal: AbortSignal): AsyncGenerator<Buffer> {
  const source = file.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
  // The reader gets its errors. The source may end before anything reads it.
  source.on('error', () => undefined);
  const chunks = counted(addAbortSignal(signal, source), read);
  const begun: Buffer[] = [];
  // Two bytes tell.
  while (lengthOf(begun) < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    begun.push(next.value);
  }
  const all = joined(begun, chunks);
  for await (const chunk of isGzip(Buffer.concat(begun)) ? unpacked(all) : all) {
    // What is unpacked may be a thousand times what was read.
    signal.throwIfAborted();
    yield chunk;
  }
}

async function* counted(source: AsyncIterable<unknown>, read: ReadSoFar): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    read.bytes += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
}

async function* joined(begun: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* begun;
  yield* rest;
}

async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Its errors are those of the stream below.
  pipeline(Readable.from(packed), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (cause) {
    throw new TidemarkError('IMPORT_UNREADABLE', `The gzip is damaged or cut off: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Leaves out what was imported before. @throws TidemarkError `IMPORT_CHANGED` where it is not the same any more. */
export async function* skipTo({ offset, crc }: FileOffset, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [passed, seen] = [0, 0];
  for await (const chunk of chunks) {
    const skipped = chunk.subarray(0, Math.max(0, offset - passed));
    seen = crc32(skipped, seen);
    passed += chunk.length;
    if (passed < offset) continue;
    if (skipped.length > 0 && seen !== crc) throw changed();
    if (skipped.length < chunk.length) yield chunk.subarray(skipped.length);
  }
  if (passed < offset) throw changed();
}

function changed(): TidemarkError {
  return new TidemarkError('IMPORT_CHANGED', 'What was imported of this file before is not what it holds now.');
}

function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
