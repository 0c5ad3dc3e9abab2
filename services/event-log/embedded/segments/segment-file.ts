import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileOperations } from './files.ts';

/** A read fetches at least this much, because the frames and chunks that follow are usually wanted next. */
const READ_AHEAD_BYTES = 64 * 1024;
const SEARCH_BYTES = 2 ** 20;

const NAME = /^(\d{10})-[0-9a-f]{16}\.log$/;

/** `0000000001-0123456789abcdef.log`. */
export function segmentName(number: number, id: string): string {
  return `${String(number).padStart(10, '0')}-${id}.log`;
}

/** The number in a segment's name; undefined where it is the name of something else. */
export function segmentNumber(name: string): number | undefined {
  const number = NAME.exec(name)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** A segment, opened to be read. */
export class SegmentFile {
  readonly name: string;
  readonly number: number;
  /** Begins the checksums of its frames. */
  readonly seed: number;
  readonly #files: FileOperations;
  readonly #descriptor: number;
  /** What was read last. It is never overwritten, as records are views of it. */
  #block: Buffer = Buffer.alloc(0);
  #blockAt = 0;

  constructor(files: FileOperations, folder: string, name: string) {
    this.name = name;
    this.number = segmentNumber(name) as number;
    this.seed = crc32(name);
    this.#files = files;
    this.#descriptor = files.open(join(folder, name), 'read');
  }

  /**
   * Undefined where the file ends before, or `limit` lies before: what is beyond may still change.
   *
   * @param isAlone Nothing behind it is wanted soon.
   */
  bytes(position: number, length: number, limit: number, isAlone = false): Buffer | undefined {
    if (position + length > limit) return undefined;
    const at = position - this.#blockAt;
    if (at >= 0 && at + length <= this.#block.length) return this.#block.subarray(at, at + length);
    const read = this.#read(
      position,
      isAlone ? length : Math.min(limit - position, Math.max(length, READ_AHEAD_BYTES)),
    );
    if (!isAlone) [this.#block, this.#blockAt] = [read, position];
    return read.length < length ? undefined : read.subarray(0, length);
  }

  /** The position of the next such bytes from `from` on. */
  find(wanted: Buffer, from: number, limit: number): number | undefined {
    for (let position = from; position < limit; position += SEARCH_BYTES - wanted.length) {
      const bytes = this.#read(position, Math.min(SEARCH_BYTES, limit - position));
      const at = bytes.indexOf(wanted);
      if (at !== -1) return position + at;
      if (bytes.length < SEARCH_BYTES) return undefined;
    }
    return undefined;
  }

  /** What was read before may have been overwritten. */
  forget(): void {
    this.#block = Buffer.alloc(0);
  }

  size(): number {
    return this.#files.size(this.#descriptor);
  }

  close(): void {
    this.#files.close(this.#descriptor);
  }

  #read(position: number, length: number): Buffer {
    const memory = Buffer.allocUnsafeSlow(length);
    return memory.subarray(0, this.#files.read(this.#descriptor, memory, position));
  }
}
