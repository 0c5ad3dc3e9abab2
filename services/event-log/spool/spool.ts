import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewRecord } from '../event-log.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { expectRoom } from '../../runtime/free-space.ts';
import { encodeFrames, type Frames, readFrames } from './frames.ts';
import { SegmentWriter } from './segment-writer.ts';
import { type Segment, segmentNumbers, segmentPath } from './segments.ts';

export interface SpoolOptions {
  /** Locked by the caller while the spool is open. */
  readonly folder: string;
  /** When this much is on disk, appends are refused. */
  readonly maxBytes: number;
  /** A segment of this size is complete. */
  readonly segmentBytes?: number;
}

/** `full` and `failed`: no append is possible now. */
export type SpoolState = 'empty' | 'waiting' | 'full' | 'failed';

interface PendingWrite {
  readonly frames: Buffer;
  readonly messages: number;
  readonly atMs: number;
  readonly resolve: () => void;
  readonly reject: (error: TidemarkError) => void;
}

const SEGMENT_BYTES = 4 * 2 ** 20;
const MAX_WRITE_BYTES = 4 * 2 ** 20;
const PROBE_BYTES = 4_096;

/**
 * Records on local disk that wait for the log, first in, first out. Concurrent appends share one flush. A segment is removed
 * only after it was forwarded. After a crash in between it is forwarded again, so that a record may be in the log twice but
 * is never lost.
 */
export class Spool {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  /** Oldest first. The last one may still be written. */
  readonly #segments: Segment[];
  #writer: SegmentWriter | undefined;
  #lastNumber: number;
  readonly #waiting: PendingWrite[] = [];
  #flushing: Promise<void> | undefined;
  /** On disk, and being written. */
  #bytes: number;
  #messages: number;
  #fault: 'full' | 'failed' | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Messages spooled since it was opened. */
  spooled = 0;
  /** Requests refused because it was full, since it was opened. */
  refusals = 0;
  /** Failed writes since it was opened. */
  failures = 0;

  private constructor({ folder, maxBytes, segmentBytes = SEGMENT_BYTES }: SpoolOptions, segments: Segment[]) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#segmentBytes = segmentBytes;
    this.#segments = segments;
    this.#lastNumber = segments.at(-1)?.number ?? 0;
    this.#bytes = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#messages = segments.reduce((sum, { messages }) => sum + messages, 0);
  }

  /** Opens it with the segments that the folder holds. @throws TidemarkError `SPOOL_FOREIGN`. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const segments: Segment[] = [];
    for (const number of await segmentNumbers(options.folder)) {
      const path = segmentPath(options.folder, number);
      const bytes = await readFile(path);
      const { records, firstAtMs } = readFrames(bytes);
      segments.push({ number, path, bytes: bytes.length, messages: records.length, firstAtMs });
    }
    return new Spool(options, segments);
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0 && this.#waiting.length === 0 && this.#flushing === undefined;
  }

  get state(): SpoolState {
    return this.#fault ?? (this.isEmpty ? 'empty' : 'waiting');
  }

  /** Messages that wait here. */
  get messages(): number {
    return this.#messages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** When the oldest waiting record was appended: milliseconds since 1970. */
  get oldestAtMs(): number | undefined {
    return this.#segments[0]?.firstAtMs ?? this.#waiting[0]?.atMs;
  }

  /**
   * Resolves, in the order given, once the records would survive a crash. If it rejects, some of them may still be stored.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE` where it is full or the disk fails; `STOPPING`.
   */
  append(records: readonly NewRecord[]): Promise<void> {
    if (this.#isClosed) return Promise.reject(new TidemarkError('STOPPING', 'the spool is closed'));
    const atMs = Date.now();
    const frames = encodeFrames(records, atMs);
    if (this.#bytes + frames.length > this.#maxBytes) {
      this.refusals++;
      this.#fault = 'full';
      return Promise.reject(spoolUnavailable(`the spool in ${this.#folder} is full`));
    }
    this.#count(frames.length, records.length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frames, messages: records.length, atMs, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves if a record can be stored now. @throws TidemarkError `LOG_UNAVAILABLE`. */
  async check(): Promise<void> {
    if (this.#fault === 'full') throw spoolUnavailable(`the spool in ${this.#folder} is full`);
    if (this.#fault === undefined) return;
    try {
      expectRoom(this.#folder, 'LOG_UNAVAILABLE');
      await probe(join(this.#folder, 'probe'));
      this.#fault = undefined;
    } catch (cause) {
      throw spoolUnavailable(`the spool in ${this.#folder} cannot be written`, cause);
    }
  }

  /** The oldest segment, completed; undefined where nothing waits. It stays until `remove`. */
  async next(): Promise<Segment | undefined> {
    while (this.#segments.length === 0 && !this.isEmpty) {
      await nextTurn();
      await this.#exclusively(() => Promise.resolve());
    }
    if (this.#segments[0] !== undefined && this.#segments[0] === this.#writer?.segment) {
      await this.#exclusively(() => this.#seal());
    }
    return this.#segments[0];
  }

  async read({ path, bytes }: Segment): Promise<Frames> {
    return readFrames((await readFile(path)).subarray(0, bytes));
  }

  /**
   * Removes a forwarded segment, or renames it so that a person can examine it (`keep`). The spool forgets it even if that
   * fails, so that a faulty disk does not block later segments. The next start would then forward it once more.
   */
  async remove(segment: Segment, { keep }: { readonly keep: boolean }): Promise<void> {
    try {
      if (keep) await rename(segment.path, `${segment.path}.kept`);
      else await rm(segment.path, { force: true });
    } finally {
      this.#segments.splice(this.#segments.indexOf(segment), 1);
      this.#count(-segment.bytes, -segment.messages);
      if (this.#fault === 'full') this.#fault = undefined;
    }
  }

  /** What waits stays on disk. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flushing;
    await this.#exclusively(() => this.#seal());
  }

  #count(bytes: number, messages: number): void {
    this.#bytes += bytes;
    this.#messages += messages;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      // So that everything that arrives in this turn of the event loop is included.
      await nextTurn();
      await this.#exclusively(() => this.#writeSome());
    }
    // In the same turn as the last check, so that the next append starts a new flush.
    this.#flushing = undefined;
  }

  async #writeSome(): Promise<void> {
    const some = this.#nextBatch();
    const bytes = some.reduce((sum, { frames }) => sum + frames.length, 0);
    const messages = some.reduce((sum, one) => sum + one.messages, 0);
    try {
      expectRoom(this.#folder, 'LOG_UNAVAILABLE', bytes);
      const writer = (this.#writer ??= await SegmentWriter.begin(this.#folder, ++this.#lastNumber));
      const isNew = writer.segment.bytes === 0;
      await writer.write(
        Buffer.concat(
          some.map(({ frames }) => frames),
          bytes,
        ),
        messages,
        some[0]?.atMs ?? Date.now(),
      );
      if (isNew) this.#segments.push(writer.segment);
      if (this.#fault === 'failed') this.#fault = undefined;
      this.spooled += messages;
      for (const { resolve } of some) resolve();
      if (writer.segment.bytes >= this.#segmentBytes) await this.#seal();
    } catch (cause) {
      this.failures++;
      this.#fault = 'failed';
      this.#count(-bytes, -messages);
      const error = spoolUnavailable(`the spool in ${this.#folder} cannot be written`, cause);
      for (const { reject } of some) reject(error);
      await this.#abandon();
    }
  }

  #nextBatch(): readonly PendingWrite[] {
    let bytes = 0;
    const more = this.#waiting.findIndex(({ frames }) => (bytes += frames.length) > MAX_WRITE_BYTES);
    return this.#waiting.splice(0, more === -1 ? Infinity : Math.max(1, more));
  }

  async #seal(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    // What was written is on disk already.
    await writer?.close().catch(() => undefined);
  }

  async #abandon(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.abandon();
  }

  /** Runs writes and completions of segments one after the other. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** Rejects if a small file cannot be written and flushed. */
async function probe(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.write(Buffer.alloc(PROBE_BYTES));
    await file.datasync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

function spoolUnavailable(message: string, cause?: unknown): TidemarkError {
  return new TidemarkError('LOG_UNAVAILABLE', message, { cause });
}
