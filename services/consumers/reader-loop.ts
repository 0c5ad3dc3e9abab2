/** What the readers of the log (projector, sink) have in common. */
import type { LogReader, PartitionRecords, PollOptions } from '../event-log/event-log.ts';
import { type ErrorCode, hasCode, isRetryable, TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause } from '../runtime/pause.ts';
import { retry } from '../runtime/retry.ts';
import type { Throttle } from './throttle/throttle.ts';
import { ThrottledCommits } from './throttled-commits.ts';

/** What a reader repeats because it fails. Plain JSON; says nothing that is not for everybody. */
export interface Trouble {
  /** What it cannot do, in words. */
  readonly what: string;
  readonly code: ErrorCode;
  readonly forMs: number;
}

/** As of `performance.now()`. */
type OngoingTrouble = Omit<Trouble, 'forMs'> & { readonly since: number };

export interface ReaderLoopOptions {
  readonly logger: Logger;
  readonly openReader: () => Promise<LogReader>;
  /** Asked before every poll where it is a function. */
  readonly poll: PollOptions | (() => PollOptions);
  /** Whether `handle` is also called where a poll found nothing. */
  readonly handlesEmpty?: boolean;
  /**
   * Processes a batch to its end, and repeats by itself what is worth repeating (`withRetry`). Where it throws
   * `POSITION_MOVED`, or anything retryable, the reader starts again from where its stores say it stands; anything
   * else ends the loop.
   */
  readonly handle: (batch: readonly PartitionRecords[], reader: LogReader) => Promise<void>;
  readonly throttle?: Throttle | undefined;
  /** Whether nothing that was read waits to be processed; it does not where left out. */
  readonly isIdle?: () => boolean;
}

// Who follows a log as it grows finds a few records each time, and a batch of few costs a transaction as one of many does.
// So after two such in a row records gather for so long, from the beginning of a batch to the next. One that comes after a
// pause is read at once all the same, and who is behind never waits.
const GATHER_MS = 100;
const FEW_RECORDS = 1_000;
const FEW_BYTES = 256 * 1024;

/** Polls and handles, one batch after another, until it is stopped or fails for good. */
export class ReaderLoop {
  /**
   * Rejects with what no waiting cures (`LOG_REPLACED`, `LOG_DAMAGED`, `STORE_NEWER`, a defect); the loop has ended
   * then. Never resolves.
   */
  readonly failed: Promise<never>;
  readonly #options: ReaderLoopOptions;
  readonly #stopping = new AbortController();
  readonly #fail: (error: unknown) => void;
  /** Of each call that is being repeated now. */
  readonly #troubles = new Set<OngoingTrouble>();
  /** Why it started again, until it comes further or finds that there is nothing to do. */
  #restarted: OngoingTrouble | undefined;
  #reader: LogReader | undefined;
  #lastWasFew = false;
  #running: Promise<void> | undefined;

  constructor(options: ReaderLoopOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    // Whoever cares awaits it; nobody has to.
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#options = options;
  }

  /** For how long what is being repeated now has failed; 0 where nothing is. */
  get waitingMs(): number {
    return this.trouble?.forMs ?? 0;
  }

  /** What it has been repeating for the longest time, without coming further. */
  get trouble(): Trouble | undefined {
    const all = [...this.#troubles, ...(this.#restarted === undefined ? [] : [this.#restarted])];
    const [first] = all.toSorted((a, b) => a.since - b.since);
    return first && { what: first.what, code: first.code, forMs: performance.now() - first.since };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits for the batch under way, without the waiting of its retries. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reader?.close();
    await this.#running;
  }

  /** Repeats what is passing (a store or the log away) until it succeeds; says so in the log, once. */
  async withRetry<T>(what: string, call: () => Promise<T>): Promise<T> {
    const { logger } = this.#options;
    const begunAt = performance.now();
    let trouble: OngoingTrouble | undefined;
    try {
      return await retry(call, {
        signal: this.#stopping.signal,
        onTrouble: (error) => {
          trouble = { what, code: retriedCodeOf(error), since: begunAt };
          this.#troubles.add(trouble);
          logger.warn({ err: error }, `cannot ${what} now: waiting`);
        },
        onRecovery: () => logger.info(`can ${what} again`),
      });
    } finally {
      if (trouble !== undefined) this.#troubles.delete(trouble);
    }
  }

  async #run(): Promise<void> {
    try {
      this.#reader = new ThrottledCommits(
        await this.withRetry('open the event log', this.#options.openReader),
        () => (this.#restarted = undefined),
      );
      while (!this.#stopping.signal.aborted) await this.#round(this.#reader);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#end(error);
    } finally {
      await this.#reader?.close();
    }
  }

  async #round(reader: LogReader): Promise<void> {
    const { poll, handlesEmpty = false, isIdle = () => true } = this.#options;
    const asked = typeof poll === 'function' ? poll() : poll;
    const batch = await this.withRetry('read the event log', () => reader.poll(asked));
    if (batch.length === 0 && isIdle()) this.#restarted = undefined;
    if (batch.length === 0 && !handlesEmpty) return;
    const begunAt = performance.now();
    try {
      await this.#options.handle(batch, reader);
    } catch (error) {
      if (!hasCode(error, 'POSITION_MOVED') && !isRetryable(error)) throw error;
      if (this.#stopping.signal.aborted) return;
      this.#options.logger.warn({ err: error }, 'starting again from where the store says');
      this.#restarted ??= { what: 'process what it reads', code: retriedCodeOf(error), since: begunAt };
      reader.restart();
      return;
    }
    if (batch.length > 0) await this.#rest(batch, asked, begunAt);
  }

  async #rest(batch: readonly PartitionRecords[], asked: PollOptions, begunAt: number): Promise<void> {
    const { signal } = this.#stopping;
    const records = batch.reduce((sum, partition) => sum + partition.records.length, 0);
    await this.#options.throttle?.(performance.now() - begunAt, signal, records);
    const isFew = records < Math.min(FEW_RECORDS, asked.maxRecords) && valueBytesOf(batch) < FEW_BYTES;
    const leftMs = begunAt + GATHER_MS - performance.now();
    if (isFew && this.#lastWasFew && leftMs > 0) await pause(leftMs, signal);
    this.#lastWasFew = isFew;
  }

  #end(error: unknown): void {
    this.#options.logger.fatal({ err: error }, 'cannot go on');
    this.#fail(error);
  }
}

/** What is retried is always ours. */
function retriedCodeOf(error: unknown): ErrorCode {
  return error instanceof TidemarkError ? error.code : 'STORE_UNAVAILABLE';
}

function valueBytesOf(batch: readonly PartitionRecords[]): number {
  return batch.reduce((sum, { records }) => sum + records.reduce((bytes, { value }) => bytes + value.length, 0), 0);
}
