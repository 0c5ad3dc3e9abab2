import type { Appended, EventLog, NewRecord } from '../event-log.ts';
import { isRetryable, TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { pause } from '../../runtime/pause.ts';
import { retry } from '../../runtime/retry.ts';
import { Forwarder } from './forwarder.ts';
import { SpoolAdmission } from './spool-admission.ts';
import type { Spool } from './spool.ts';

export interface SpoolingLogParts {
  readonly log: Pick<EventLog, 'append' | 'check'>;
  /** Open, and of this process alone. The caller closes it. */
  readonly spool: Spool;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called before anything is spooled. While the log is unreachable, nothing else shows whether our clock is right. */
  readonly mayWait?: () => boolean;
  readonly onForwarded?: (appended: readonly Appended[], sentAtMs: number) => void;
  readonly tickMs?: number;
}

/**
 * - `direct`: the spool is empty; appends go to the log.
 * - `spooling`: the log is unreachable, or messages still wait in the spool; appends go to the end of the spool.
 * - `resuming`: little waits, and the log accepts it; appends are buffered for milliseconds and then go to the log.
 */
type SpoolingState = 'direct' | 'spooling' | 'resuming';

interface Pending {
  readonly records: readonly NewRecord[];
  readonly tick: number;
  readonly resolve: (appended: readonly Appended[] | null) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it waits for the log: it is neither settled nor handed to the spool. */
  isInProgress: boolean;
}

// Timeouts are counted in ticks. While the event loop is blocked there are none, so that answers which arrived are read first.
const TICK_MS = 250;
/** If the log has not settled an append after this many ticks (2 s), it counts as unreachable. */
const APPEND_TICKS = 8;
/** Maximum delay of buffered appends, and of answers during forwarding. */
const FORWARD_TICKS = 2;
/** At most this many messages may be left in the spool when it resumes: the log takes them within milliseconds. */
const RESUME_MESSAGES = 2_000;
const LONGEST_CHECK_WAIT_MS = 1_000;
const FAILED_WAIT_MS = 5_000;

/**
 * The event log as ingest uses it, with a spool for when the log is unreachable. The order of this process' appends is
 * kept: while anything waits in the spool, new appends go behind it.
 */
export class SpoolingLog implements Pick<EventLog, 'check'> {
  readonly #parts: SpoolingLogParts;
  readonly #stopping = new AbortController();
  readonly #forwarder: Forwarder;
  /** Appends that the log has not settled, and buffered ones, each in order. A set would cost twice as much. */
  #inProgress: Pending[] = [];
  readonly #buffered: Pending[] = [];
  readonly #admission = new SpoolAdmission();
  readonly #ticking: NodeJS.Timeout;
  #state: SpoolingState = 'direct';
  #tick = 0;
  #bufferedSince = 0;
  #forwardedAt = 0;
  #isForwarding = false;
  #forwarding: Promise<void> | undefined;

  constructor(parts: SpoolingLogParts) {
    this.#parts = parts;
    const { spool, log, logger, onForwarded, tickMs = TICK_MS } = parts;
    this.#forwarder = new Forwarder({
      spool,
      log,
      logger,
      signal: this.#stopping.signal,
      onForwarded: (appended, sentAtMs) => {
        this.#forwardedAt = this.#tick;
        this.#admission.forwarded(appended.length);
        onForwarded?.(appended, sentAtMs);
      },
      onRemoved: () => this.#resumeIfLittleWaits(),
      onTrouble: () => this.#onTrouble(),
    });
    this.#ticking = setInterval(() => this.#onTick(), tickMs).unref();
    if (!spool.isEmpty) this.#divert();
  }

  get isDirect(): boolean {
    return this.#state === 'direct';
  }

  get forwarder(): Pick<Forwarder, 'forwarded' | 'quarantined'> {
    return this.#forwarder;
  }

  /**
   * Resolves once every record would survive a crash: with their offsets in the log, or with null where they wait in the
   * spool (or both: they may be in the log twice). If it rejects, some of them may still be in the log.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable, where the log is unreachable and the spool is full or fails.
   */
  append(records: readonly NewRecord[]): Promise<readonly Appended[] | null> {
    return new Promise((resolve, reject) => {
      const pending = { records, tick: this.#tick, resolve, reject, isInProgress: false };
      if (this.#state === 'direct') this.#send(pending);
      else if (this.#state === 'spooling') this.#spool(pending);
      else this.#buffered.push(pending);
    });
  }

  /** Resolves if the log or the spool can store a record now. @throws TidemarkError `LOG_UNAVAILABLE`. */
  check(): Promise<void> {
    const { log, spool } = this.#parts;
    return this.#state === 'direct' ? log.check() : spool.check();
  }

  /** What waits stays on disk. To be called after the last append. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#ticking);
    this.#stopping.abort();
    this.#divert();
    this.#admission.off();
    await this.#forwarding;
  }

  #send(pending: Pending): void {
    pending.isInProgress = true;
    this.#inProgress.push(pending);
    this.#parts.log.append(pending.records).then(
      (appended) => {
        pending.isInProgress = false;
        this.#forget();
        pending.resolve(appended);
      },
      (error: unknown) => this.#onRejected(pending, error),
    );
  }

  #onRejected(pending: Pending, error: unknown): void {
    // Otherwise it went to the spool, which settles it.
    if (!pending.isInProgress) return;
    if (isRetryable(error)) {
      this.#divert();
      return;
    }
    pending.isInProgress = false;
    this.#forget();
    pending.reject(error);
  }

  /** Removes the oldest appends up to the first one in progress. */
  #forget(): void {
    let resolved = 0;
    while (this.#inProgress[resolved]?.isInProgress === false) resolved++;
    if (resolved === 1) this.#inProgress.shift();
    else if (resolved > 1) this.#inProgress.splice(0, resolved);
  }

  #spool({ records, resolve, reject }: Pending): void {
    const { spool, mayWait } = this.#parts;
    if (mayWait?.() === false) {
      reject(
        new TidemarkError(
          'LOG_UNAVAILABLE',
          'the log is unreachable, and the clock of this machine was changed since it was last reached',
        ),
      );
      return;
    }
    spool
      .append(records)
      .then(() => this.#admission.pass(records.length))
      .then(() => resolve(null), reject);
  }

  /** The log is unreachable, or something waits already: all that it has not settled goes to the spool, in order. */
  #divert(): void {
    this.#state = 'spooling';
    const all = [...this.#inProgress.filter(({ isInProgress }) => isInProgress), ...this.#buffered.splice(0)];
    this.#inProgress = [];
    for (const pending of all) {
      pending.isInProgress = false;
      this.#spool(pending);
    }
    if (this.#isForwarding || this.#stopping.signal.aborted) return;
    this.#isForwarding = true;
    this.#forwarding = this.#forward();
  }

  /** Runs until the spool is empty and the log is reachable. Never rejects. */
  async #forward(): Promise<void> {
    const { spool, logger } = this.#parts;
    const began = performance.now();
    let isLogged = false;
    let hasFailed = false;
    while (this.#state !== 'direct' && !this.#stopping.signal.aborted) {
      if (!isLogged && spool.messages > 0) logger.warn('messages wait in the spool until the event log is reachable');
      isLogged ||= spool.messages > 0;
      try {
        await this.#forwardAll();
        if (spool.isEmpty) this.#goDirect();
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        if (!hasFailed) logger.error({ err: error }, 'forwarding from the spool failed: retrying');
        hasFailed = true;
        await pause(FAILED_WAIT_MS, this.#stopping.signal);
      }
    }
    // Synchronously, before another append can find the log unreachable.
    this.#isForwarding = false;
    const tookMs = Math.round(performance.now() - began);
    if (isLogged && this.isDirect) logger.info({ tookMs }, 'all messages of the spool are in the event log');
  }

  async #forwardAll(): Promise<void> {
    const before = this.#forwarder.forwarded;
    await this.#forwarder.drain();
    if (this.#forwarder.forwarded > before) return;
    // Nothing was forwarded, so nothing has shown that the log is reachable.
    await retry(() => this.#parts.log.check(), { signal: this.#stopping.signal, longestWaitMs: LONGEST_CHECK_WAIT_MS });
  }

  #goDirect(): void {
    this.#state = 'direct';
    this.#admission.off();
    for (const pending of this.#buffered.splice(0)) this.#send({ ...pending, tick: this.#tick });
  }

  /** Buffers appends while the rest of the spool is forwarded. Otherwise it would never be empty under load. */
  #resumeIfLittleWaits(): void {
    if (this.#state !== 'spooling' || this.#parts.spool.messages > RESUME_MESSAGES) return;
    this.#state = 'resuming';
    this.#bufferedSince = this.#tick;
  }

  /** The log does not accept what waits: buffered appends go to the spool, and answers no longer wait for forwarding. */
  #onTrouble(): void {
    this.#admission.off();
    if (this.#state === 'resuming') this.#divert();
  }

  #onTick(): void {
    this.#tick++;
    if (this.#tick - this.#forwardedAt > FORWARD_TICKS) this.#admission.off();
    if (this.#state === 'resuming' && this.#tick - this.#bufferedSince > FORWARD_TICKS) this.#onTrouble();
    const [oldest] = this.#inProgress;
    if (oldest !== undefined && this.#tick - oldest.tick > APPEND_TICKS) this.#divert();
  }
}
