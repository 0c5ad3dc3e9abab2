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
  /** Locked by the caller, for as long as the spool is open. */
  readonly folder: string;
  /** Past this much on disk nothing more is taken. */
  readonly maxBytes: number;
  /** A segment that has this much gets no more. */
  readonly segmentBytes?: number;
}

/** `full` and `failed`: nothing can be taken now. */
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
 * Records on local disk that wait for the log, first in, first out. Appends under way at once share one flush. What is
 * taken out is forwarded by then: until it is removed it is there again after a crash, so that a reader of it may see
 * records twice and never none.
 */
export class Spool {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  /** Oldest first; the last one may be the writer's. */
  readonly #segments: Segment[];
  #writer: SegmentWriter | undefined;
  #lastNumber: number;
  readonly #waiting: PendingWrite[] = [];
  #flushing: Promise<void> | undefined;
  /** On disk, and on the way there. */
  #bytes: number;
  #messages: number;
  #cannot: 'full' | 'failed' | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Messages that were put in, since it was opened. */
  spooled = 0;
  /** Requests that found it full, since it was opened. */
  refusals = 0;
  /** Writes that failed, since it was opened. */
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

  /** With what was left in the folder. @throws TidemarkError `SPOOL_FOREIGN`. */
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
    return this.#cannot ?? (this.isEmpty ? 'empty' : 'waiting');
  }

  /** Messages that wait here. */
  get messages(): number {
    return this.#messages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** When the oldest of what waits came: milliseconds since 1970. */
  get oldestAtMs(): number | undefined {
    return this.#segments[0]?.firstAtMs ?? this.#waiting[0]?.atMs;
  }

  /**
   * Resolves, in the order given, once the records would survive a crash. Where it rejects, some of them may be there all
   * the same.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE` where it is full or the disk fails; `STOPPING`.
   */
  append(records: readonly NewRecord[]): Promise<void> {
    if (this.#isClosed) return Promise.reject(new TidemarkError('STOPPING', 'the spool is closed'));
    const atMs = Date.now();
    const frames = encodeFrames(records, atMs);
    if (this.#bytes + frames.length > this.#maxBytes) {
      this.refusals++;
      this.#cannot = 'full';
      return Promise.reject(spoolUnavailable(`the spool in ${this.#folder} is full`));
    }
    this.#count(frames.length, records.length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frames, messages: records.length, atMs, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves where a record can be taken now. @throws TidemarkError `LOG_UNAVAILABLE`. */
  async check(): Promise<void> {
    if (this.#cannot === 'full') throw spoolUnavailable(`the spool in ${this.#folder} is full`);
    if (this.#cannot === undefined) return;
    try {
      expectRoom(this.#folder, 'LOG_UNAVAILABLE');
      await probe(join(this.#folder, 'probe'));
      this.#cannot = undefined;
    } catch (cause) {
      throw spoolUnavailable(`the spool in ${this.#folder} cannot be written`, cause);
    }
  }

  /** The oldest segment, which gets nothing more; undefined where nothing waits. It stays until it is removed. */
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
   * Forwarded, or kept aside for a person to look at. Gone from here in any case: a disk that does not let go of it must not
   * hold up what comes after; after the next start it would be forwarded once more.
   */
  async remove(segment: Segment, { keep }: { readonly keep: boolean }): Promise<void> {
    try {
      if (keep) await rename(segment.path, `${segment.path}.kept`);
      else await rm(segment.path, { force: true });
    } finally {
      this.#segments.splice(this.#segments.indexOf(segment), 1);
      this.#count(-segment.bytes, -segment.messages);
      if (this.#cannot === 'full') this.#cannot = undefined;
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
      // Whatever else this turn of the event loop brings goes along.
      await nextTurn();
      await this.#exclusively(() => this.#writeSome());
    }
    // In the same turn as the last look: whoever comes next starts anew.
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
      if (this.#cannot === 'failed') this.#cannot = undefined;
      this.spooled += messages;
      for (const { resolve } of some) resolve();
      if (writer.segment.bytes >= this.#segmentBytes) await this.#seal();
    } catch (cause) {
      this.failures++;
      this.#cannot = 'failed';
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
    // What it wrote is safe already.
    await writer?.close().catch(() => undefined);
  }

  async #abandon(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.abandon();
  }

  /** One after the other: writes, and the end of a segment. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** Whether as much as a small write fits, and is flushed. */
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
