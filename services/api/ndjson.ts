import { Readable } from 'node:stream';
import type { Answer } from '../http/route.ts';
import { PIECE_BYTES } from '../http/send.ts';

/** What the last line is made from. */
export interface Ending {
  /** How many lines there were; counted only where `lastLine` is wanted. */
  readonly lines: number;
  /** The last of them, '' where there was none. */
  readonly lastLine: string;
}

export interface NdjsonOptions {
  /** The object of the last line, by which a client knows that nothing was cut. */
  readonly end: (ending: Ending) => object;
  /** Whether `end` looks at what it is given. */
  readonly counts: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Streams lines of JSON and a final line. After a failure the final line is missing. */
export function ndjsonAnswer(lines: AsyncIterable<Uint8Array>, { headers, ...options }: NdjsonOptions): Answer {
  const body = Readable.from(new Lines(lines, options), { objectMode: false });
  return { status: 200, type: 'application/x-ndjson', body, ...(headers && { headers }) };
}

const NEWLINE = 10;
// Longer than any line: a user id has 512 characters, each at most 12 bytes as JSON.
const MAX_LINE_BYTES = 8_192;

// Not a generator: before the first read, ending a generator does not end its source.
class Lines implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #options: Omit<NdjsonOptions, 'headers'>;
  #lines = 0;
  #tail: Buffer = Buffer.alloc(0);
  #rest: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(lines: AsyncIterable<Uint8Array>, options: Omit<NdjsonOptions, 'headers'>) {
    this.#chunks = lines[Symbol.asyncIterator]();
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#rest.length > 0) return this.#piece();
    if (this.#ended) return { done: true, value: undefined };
    const result = await this.#chunks.next();
    if (result.done !== true) {
      const { value } = result;
      const chunk = Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
      if (this.#options.counts) this.#count(chunk);
      this.#rest = chunk;
      return this.#piece();
    }
    this.#ended = true;
    const end = this.#options.end({ lines: this.#lines, lastLine: this.#lastLine() });
    return { done: false, value: Buffer.from(`${JSON.stringify(end)}\n`) };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  #piece(): IteratorResult<Uint8Array> {
    const value = this.#rest.subarray(0, PIECE_BYTES);
    this.#rest = this.#rest.subarray(PIECE_BYTES);
    return { done: false, value };
  }

  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) this.#lines++;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-MAX_LINE_BYTES)]).subarray(-MAX_LINE_BYTES);
  }

  #lastLine(): string {
    const text = this.#tail.toString().trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1);
  }
}
