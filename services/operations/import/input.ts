/** The file to import as a stream of unpacked bytes. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress, crc32 } from 'node:zlib';
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
  hash.update(await readAt(file, 0, HASHED_BYTES));
  hash.update(await readAt(file, Math.max(0, size - HASHED_BYTES), HASHED_BYTES));
  return { bytes: size, hash: hash.digest('hex').slice(0, 32) };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/**
 * The bytes of a file from its beginning on; unpacked where they begin as gzip or zstd does, and as UTF-8. The file stays
 * open, also where the reading ends early. Once the signal aborts it fails at the next chunk.
 */
export async function* readInput(file: FileHandle, { read, encoding, signal }: InputOptions): AsyncGenerator<Buffer> {
  // Four bytes tell.
  const begun = await readAt(file, 0, 4);
  const packing = PACKINGS.find(({ magic }) => begun.subarray(0, magic.length).equals(magic));
  const chunks = fileChunks(file, read, signal);
  const bytes = packing === undefined ? chunks : unpacked(chunks, packing);
  for await (const chunk of encoding === null ? bytes : inUtf8(bytes, encoding)) {
    // What is unpacked may be a thousand times what was read.
    signal.throwIfAborted();
    yield chunk;
  }
}

export interface InputOptions {
  readonly read: ReadSoFar;
  /** As `TextDecoder` names it; UTF-8 where null. */
  readonly encoding: string | null;
  readonly signal: AbortSignal;
}

interface Packing {
  readonly name: string;
  readonly magic: Buffer;
  readonly unpack: (packed: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
}

const PACKINGS: readonly Packing[] = [
  { name: 'gzip', magic: Buffer.from([0x1f, 0x8b]), unpack: gunzipped },
  { name: 'zstd', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpack: zstdFrames },
];

/** No stream of Node: one that is left closes the file (24.21), `autoClose` or not. */
async function* fileChunks(file: FileHandle, read: ReadSoFar, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    read.bytes += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* unpacked(packed: AsyncIterable<Buffer>, { name, unpack }: Packing): AsyncGenerator<Buffer> {
  try {
    yield* unpack(packed);
  } catch (cause) {
    throw new TidemarkError('IMPORT_UNREADABLE', `The ${name} is damaged or cut off: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function gunzipped(packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const stream = createGunzip({ chunkSize: CHUNK_BYTES });
  // Its errors are those of the stream that is read.
  pipeline(Readable.from(packed), stream, () => undefined);
  return stream;
}

/** Node (24) stops at the end of the first frame and says nothing of those behind it: each is unpacked by itself. */
async function* zstdFrames(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = packed[Symbol.asyncIterator]();
  let first = await source.next();
  while (first.done !== true) {
    const frame = new ZstdFrame(first.value, source);
    yield* frame.unpacked();
    const behind = await frame.behind();
    first = behind.length > 0 ? { done: false, value: behind } : await source.next();
  }
}

class ZstdFrame {
  readonly #stream = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  readonly #packed: AsyncGenerator<Buffer>;
  /** What it was given, but for `#passed` bytes, which are of the frame. */
  readonly #given: Buffer[] = [];
  #passed = 0;

  constructor(first: Buffer, source: AsyncIterator<Buffer>) {
    this.#packed = this.#give(first, source);
  }

  async *#give(first: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
    for (let next: IteratorResult<Buffer> = { value: first }; next.done !== true; next = await source.next()) {
      this.#given.push(next.value);
      yield next.value;
    }
  }

  async *unpacked(): AsyncGenerator<Buffer> {
    pipeline(Readable.from(this.#packed), this.#stream, () => undefined);
    for await (const chunk of this.#stream) {
      this.#pass();
      yield chunk as Buffer;
    }
  }

  #pass(): void {
    for (let [chunk] = this.#given; chunk !== undefined; [chunk] = this.#given) {
      if (this.#passed + chunk.length > this.#stream.bytesWritten) return;
      this.#passed += chunk.length;
      this.#given.shift();
    }
  }

  /** What was read and is not of the frame. */
  async behind(): Promise<Buffer> {
    // What is being read comes too.
    await this.#packed.return(undefined);
    return Buffer.concat(this.#given).subarray(this.#stream.bytesWritten - this.#passed);
  }
}

async function* inUtf8(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    yield Buffer.from(decoder.decode());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new TidemarkError('IMPORT_UNREADABLE', `The file is not in ${encoding}.`, { cause });
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
