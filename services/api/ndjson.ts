import { Readable } from 'node:stream';
import type { Answer } from '../http/route.ts';
import { PIECE_BYTES } from '../http/send.ts';

/** What the last line is made from. */
export interface Ending {
  /** How many lines there were. */
  readonly lines: number;
  /** The last of them, '' where there was none. */
  readonly lastLine: string;
}

export interface NdjsonOptions {
  /** The object of the last line, by which a client knows that nothing was cut. */
  readonly end: () => object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Streams lines of JSON and a final line. After a failure the final line is missing. */
export function ndjsonAnswer(lines: AsyncIterable<Uint8Array>, { headers, end }: NdjsonOptions): Answer {
  return linesAnswer('application/x-ndjson', new Pieces(lines, () => `${JSON.stringify(end())}\n`), headers);
}

/** Streams lines of CSV. After a failure the connection is cut. A browser saves them, and shows nothing that somebody sent. */
export function csvAnswer(lines: AsyncIterable<Uint8Array>, headers?: Answer['headers']): Answer {
  const asFile = { 'X-Content-Type-Options': 'nosniff', 'Content-Disposition': 'attachment' };
  return linesAnswer('text/csv; charset=utf-8', new Pieces(lines, () => ''), { ...headers, ...asFile });
}

function linesAnswer(type: string, pieces: Pieces, headers: Answer['headers']): Answer {
  return { status: 200, type, body: Readable.from(pieces, { objectMode: false }), ...(headers && { headers }) };
}

const NEWLINE = 10;
// Longer than any line that analytics sends: a user id has 512 characters, each at most 12 bytes as JSON.
const MAX_LINE_BYTES = 8_192;

/**
 * Passes on what a source has, as bytes. No generator: before its first read, ending a generator does not end its source, and
 * later it waits for the pending read.
 */
export abstract class PassedOn<T = Uint8Array> implements AsyncIterableIterator<Uint8Array> {
  protected readonly source: AsyncIterator<T>;

  constructor(source: AsyncIterable<T>) {
    this.source = source[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  abstract next(): Promise<IteratorResult<Uint8Array>>;

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.source.return?.();
    return { done: true, value: undefined };
  }
}

/** The same chunks, their lines counted. */
export class CountedLines extends PassedOn {
  #lines = 0;
  #tail: Buffer = Buffer.alloc(0);

  async next(): Promise<IteratorResult<Uint8Array>> {
    const result = await this.source.next();
    if (result.done !== true) this.#count(bufferOf(result.value));
    return result;
  }

  /** What the lines that were read until now came to. */
  ending(): Ending {
    const text = this.#tail.toString().trimEnd();
    return { lines: this.#lines, lastLine: text.slice(text.lastIndexOf('\n') + 1) };
  }

  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) this.#lines++;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-MAX_LINE_BYTES)]).subarray(-MAX_LINE_BYTES);
  }
}

/** Pieces that a connection takes at once, and at last the final text. */
class Pieces extends PassedOn {
  readonly #end: () => string;
  #rest: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(lines: AsyncIterable<Uint8Array>, end: () => string) {
    super(lines);
    this.#end = end;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (this.#rest.length === 0) {
      if (this.#ended) return { done: true, value: undefined };
      const result = await this.source.next();
      this.#ended = result.done === true;
      this.#rest = result.done === true ? Buffer.from(this.#end()) : bufferOf(result.value);
    }
    const value = this.#rest.subarray(0, PIECE_BYTES);
    this.#rest = this.#rest.subarray(PIECE_BYTES);
    return { done: false, value };
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
