import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { sleepSync } from './pause.ts';

export interface LineOutputOptions {
  /** Bytes buffered while the reader does not read: past this, lines are dropped. */
  readonly maxBufferedBytes: number;
  /** How long `flushSync` waits for a reader that does not read. */
  readonly flushWithinMs?: number;
}

const FLUSH_WITHIN_MS = 1_000;
const WRITE_RETRY_MS = 20;

/** Errors of a write that may succeed later: the pipe is full. */
const TEMPORARY_ERRORS = new Set(['EAGAIN', 'EBUSY', 'EINTR']);

/**
 * Writes lines to a file descriptor without ever waiting for its reader. A reader that stalls costs lines, and one that has
 * closed its end costs all further lines; neither delays the process or its exit. (pino's own destination, sonic-boom 4,
 * repeats a write to a closed reader for ever while the process exits; `process.stdout` waits.)
 */
export class LineOutput {
  readonly #fd: number;
  readonly #maxBuffered: number;
  readonly #flushWithinMs: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** Since when something is being written in the background. */
  #writingSince: number | undefined;
  #isClosed = false;

  constructor(fd: number, { maxBufferedBytes, flushWithinMs = FLUSH_WITHIN_MS }: LineOutputOptions) {
    this.#fd = nonBlocking(fd);
    this.#maxBuffered = maxBufferedBytes;
    this.#flushWithinMs = flushWithinMs;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#isClosed || this.#waitingBytes + bytes > this.#maxBuffered) return;
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#writingSince === undefined) this.#writeWaiting();
  }

  /** Writes out what is buffered, as far as the reader takes it in time. For the end of the process. */
  flushSync(): void {
    const now = performance.now();
    // The write under way hangs, as on a network disk: another one would block this thread.
    if (this.#writingSince !== undefined && now - this.#writingSince > this.#flushWithinMs) return;
    const until = now + this.#flushWithinMs;
    let left = this.#take();
    while (left.length > 0) {
      try {
        left = left.subarray(writeSync(this.#fd, left));
      } catch (error) {
        if (!isTemporary(error) || performance.now() >= until) return;
        sleepSync(WRITE_RETRY_MS);
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
      } else if (isTemporary(error)) setTimeout(() => this.#write(bytes), WRITE_RETRY_MS).unref();
      else this.#readerClosed();
    });
  }

  #readerClosed(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }
}

/** The same output as a descriptor whose writes fail when it is full, instead of blocking. */
function nonBlocking(fd: number): number {
  const kind = fstatSync(fd);
  // libuv sets this for every process that shares this end of the socket; no other writes lines to it.
  if (kind.isSocket()) sockets.push(new Socket({ fd, readable: false, writable: true }).unref());
  return kind.isFIFO() ? openPipe(fd) : fd;
}

/** Kept, because a socket that is garbage-collected is closed. */
const sockets: Socket[] = [];

/** A descriptor of our own, because other processes that share the pipe may rely on blocking writes. */
function openPipe(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not Linux, or the pipe has no reader.
    return fd;
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TEMPORARY_ERRORS.has(String(error.code));
}
