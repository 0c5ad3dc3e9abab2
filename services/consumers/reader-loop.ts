/** The loop in which projector and sink poll the log and process what they read. */
import type { LogReader, PartitionRecords, PollOptions } from '../event-log/event-log.ts';
import { type ErrorCode, hasCode, isRetryable, TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause } from '../runtime/pause.ts';
import { retry } from '../runtime/retry.ts';
import { recordCountOf } from './decode-batch.ts';
import type { Throttle } from './throttle/throttle.ts';
import { ThrottledCommits } from './throttled-commits.ts';

/** A failing operation that a reader retries. Plain JSON, and public: `/readyz` shows it to everybody. */
export interface Trouble {
  /** What it cannot do, in words: `write profiles`. */
  readonly what: string;
  readonly code: ErrorCode;
  readonly forMs: number;
}

/** As of `performance.now()`. */
type OngoingTrouble = Omit<Trouble, 'forMs'> & { readonly since: number };

export interface ReaderLoopOptions {
  readonly logger: Logger;
  readonly openReader: () => Promise<LogReader>;
  /** A function is called before every poll. */
  readonly poll: PollOptions | (() => PollOptions);
  /** Whether `handle` is also called if a poll returned nothing. */
  readonly handlesEmpty?: boolean;
  /**
   * Processes a batch completely, with its own retries (`withRetry`). If it throws `POSITION_MOVED` or a retryable error,
   * the reader restarts from the positions in its store; any other error ends the loop.
   */
  readonly handle: (batch: readonly PartitionRecords[], reader: LogReader) => Promise<void>;
  readonly throttle?: Throttle | undefined;
  /** Whether everything that was read is processed; by default it is, once `handle` resolves. */
  readonly isIdle?: () => boolean;
}

// A reader that follows the log as it grows finds a few records at each poll, and a batch of few costs a transaction as a
// batch of many does. So after two small batches in a row, records gather: the next poll begins this long after the last
// batch did. A record that comes after a pause is still read at once, and a reader that is behind never waits.
const GATHER_MS = 100;
const FEW_RECORDS = 1_000;
const FEW_BYTES = 256 * 1024;

/** Polls and handles one batch after another, until it is stopped or fails permanently. */
export class ReaderLoop {
  /**
   * Rejects with a permanent failure (`LOG_REPLACED`, `LOG_DAMAGED`, `STORE_NEWER`, a defect), which ends the loop. Never
   * resolves.
   */
  readonly failed: Promise<never>;
  readonly #options: ReaderLoopOptions;
  readonly #stopping = new AbortController();
  readonly #fail: (error: unknown) => void;
  /** One for each call that is being retried now. */
  readonly #troubles = new Set<OngoingTrouble>();
  /** Why it restarted, until it makes progress or finds nothing to do. */
  #restarted: OngoingTrouble | undefined;
  #reader: LogReader | undefined;
  #lastWasFew = false;
  #running: Promise<void> | undefined;

  constructor(options: ReaderLoopOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    // Nobody has to await it.
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#options = options;
  }

  /** How long the oldest of the calls that are being retried has failed; 0 if none is. */
  get waitingMs(): number {
    return this.trouble?.forMs ?? 0;
  }

  /** What it has been retrying for the longest time without making progress. */
  get trouble(): Trouble | undefined {
    const all = [...this.#troubles, ...(this.#restarted === undefined ? [] : [this.#restarted])];
    const [first] = all.toSorted((a, b) => a.since - b.since);
    return first && { what: first.what, code: first.code, forMs: performance.now() - first.since };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits for the batch under way, but not for retries. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reader?.close();
    await this.#running;
  }

  /** Retries while a store or the log is unavailable, until the call succeeds. Logs the first failure and the recovery. */
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
      this.#options.logger.warn({ err: error }, 'restarting from the positions in the store');
      this.#restarted ??= { what: 'process what it reads', code: retriedCodeOf(error), since: begunAt };
      reader.restart();
      return;
    }
    if (batch.length > 0) await this.#rest(batch, asked, begunAt);
  }

  async #rest(batch: readonly PartitionRecords[], asked: PollOptions, begunAt: number): Promise<void> {
    const { signal } = this.#stopping;
    const records = recordCountOf(batch);
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

/** Every retried error is a TidemarkError. */
function retriedCodeOf(error: unknown): ErrorCode {
  return error instanceof TidemarkError ? error.code : 'STORE_UNAVAILABLE';
}

function valueBytesOf(batch: readonly PartitionRecords[]): number {
  return batch.reduce((sum, { records }) => sum + records.reduce((bytes, { value }) => bytes + value.length, 0), 0);
}
