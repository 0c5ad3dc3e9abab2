import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { sleepSync } from './pause.ts';

export interface LineOutputOptions {
  /** Bytes held while the reader does not read: past this, lines are dropped. */
  readonly maxBufferedBytes: number;
  /** How long `flushSync` waits for a reader that does not read. */
  readonly flushWithinMs?: number;
}

const FLUSH_WITHIN_MS = 1_000;
const AGAIN_MS = 20;

/** What the writing of a line may end with that waiting cures: a pipe that is full. */
const PASSING = new Set(['EAGAIN', 'EBUSY', 'EINTR']);

/**
 * Writes lines to a file descriptor without ever waiting for its reader: a stalled one costs lines, one that has gone all
 * further ones, and neither holds up the process or its end. (pino's own destination, sonic-boom 4, repeats a write to a
 * reader that has gone for ever while the process ends; `process.stdout` waits.)
 */
export class LineOutput {
  readonly #fd: number;
  readonly #maxBuffered: number;
  readonly #flushWithinMs: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** Since when something is being written in the background. */
  #writingSince: number | undefined;
  #gone = false;

  constructor(fd: number, { maxBufferedBytes, flushWithinMs = FLUSH_WITHIN_MS }: LineOutputOptions) {
    this.#fd = withoutWaiting(fd);
    this.#maxBuffered = maxBufferedBytes;
    this.#flushWithinMs = flushWithinMs;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#gone || this.#waitingBytes + bytes > this.#maxBuffered) return;
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#writingSince === undefined) this.#writeWaiting();
  }

  /** Writes out what waits, as far as the reader takes it in time: for the end of the process, which nothing follows. */
  flushSync(): void {
    const now = performance.now();
    // A file on a disk that stands: this thread would stand with it.
    if (this.#writingSince !== undefined && now - this.#writingSince > this.#flushWithinMs) return;
    const until = now + this.#flushWithinMs;
    let left = this.#take();
    while (left.length > 0) {
      try {
        left = left.subarray(writeSync(this.#fd, left));
      } catch (error) {
        if (!isPassing(error) || performance.now() >= until) return;
        sleepSync(AGAIN_MS);
      }
    }
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  #writeWaiting(): void {
    if (this.#waiting.length === 0) this.#writingSince = undefined;
    else this.#write(this.#take());
  }

  #write(bytes: Buffer): void {
    this.#writingSince = performance.now();
    write(this.#fd, bytes, (error, written) => {
      if (error === null) {
        if (written < bytes.length) this.#write(bytes.subarray(written));
        else this.#writeWaiting();
      } else if (isPassing(error)) setTimeout(() => this.#write(bytes), AGAIN_MS).unref();
      else this.#goes();
    });
  }

  #goes(): void {
    this.#gone = true;
    this.#waiting = [];
  }
}

/** The same output, of which a write says that it is full in place of waiting. */
function withoutWaiting(fd: number): number {
  const kind = fstatSync(fd);
  // libuv makes it so, for everybody who has this end of it; nobody else writes lines to it.
  if (kind.isSocket()) sockets.push(new Socket({ fd, readable: false, writable: true }).unref());
  return kind.isFIFO() ? opened(fd) : fd;
}

/** Whatever is collected is closed. */
const sockets: Socket[] = [];

/** Of our own, for others who have the pipe may want to wait. */
function opened(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // No Linux, or nobody reads.
    return fd;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && PASSING.has(String(error.code));
}
