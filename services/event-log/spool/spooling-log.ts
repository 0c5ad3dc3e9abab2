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
  /** Open, this process' alone, closed by whoever opened it. */
  readonly spool: Spool;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Asked before anything goes to the spool: while the log is away, nothing else tells whether our clock is right. */
  readonly mayWait?: () => boolean;
  readonly onForwarded?: (appended: readonly Appended[], sentAtMs: number) => void;
  readonly tickMs?: number;
}

/**
 * - `direct`: nothing waits in the spool; appends go to the log.
 * - `spooling`: the log is away, or has not got all that waits: appends queue in the spool behind it.
 * - `handing over`: little waits, and the log takes it: appends are held, for milliseconds, and then go to the log.
 */
type State = 'direct' | 'spooling' | 'handing over';

interface Pending {
  readonly records: readonly NewRecord[];
  readonly tick: number;
  readonly resolve: (appended: readonly Appended[] | null) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it waits for the log, and nothing else has settled it or is about to. */
  isUnderWay: boolean;
}

// Patience is counted in ticks: where the event loop stands still, so do they, and answers that came meanwhile are read.
const TICK_MS = 250;
/** An append that the log has not settled after this many (2 s) is held for lost: the log is away. */
const APPEND_TICKS = 8;
/** So long may appends be held, and answers wait for what is forwarded. */
const FORWARD_TICKS = 2;
/** What may wait when appends are held: the log has it within milliseconds. */
const HAND_OVER_BYTES = 2 ** 20;
const LONGEST_CHECK_WAIT_MS = 1_000;
const FAILED_WAIT_MS = 5_000;

/**
 * The event log as ingest uses it, with a spool for when it is away. The order of this process' appends is kept: while
 * anything waits in the spool, whatever comes goes behind it.
 */
export class SpoolingLog implements Pick<EventLog, 'check'> {
  readonly #parts: SpoolingLogParts;
  readonly #stopping = new AbortController();
  readonly #forwarder: Forwarder;
  /** Appends that the log has not settled, and those held, both in their order. A set would cost twice as much. */
  #underWay: Pending[] = [];
  readonly #held: Pending[] = [];
  readonly #admission = new SpoolAdmission();
  readonly #ticking: NodeJS.Timeout;
  #state: State = 'direct';
  #tick = 0;
  #heldSince = 0;
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
      onRemoved: () => this.#holdIfLittleWaits(),
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
   * Resolves, once every record would survive a crash, with where they are in the log, or with null where they wait in the
   * spool (or both: they may be in the log twice). If it rejects, some of them may be in the log all the same.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable, where the log is away and the spool is full or fails.
   */
  append(records: readonly NewRecord[]): Promise<readonly Appended[] | null> {
    return new Promise((resolve, reject) => {
      const pending = { records, tick: this.#tick, resolve, reject, isUnderWay: false };
      if (this.#state === 'direct') this.#send(pending);
      else if (this.#state === 'spooling') this.#wait(pending);
      else this.#held.push(pending);
    });
  }

  /** Resolves where a record can be taken now, by the log or by the spool. @throws TidemarkError `LOG_UNAVAILABLE`. */
  check(): Promise<void> {
    const { log, spool } = this.#parts;
    return this.#state === 'direct' ? log.check() : spool.check();
  }

  /** What waits stays on disk. After whoever appends has ended. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#ticking);
    this.#stopping.abort();
    this.#divert();
    this.#admission.off();
    await this.#forwarding;
  }

  #send(pending: Pending): void {
    pending.isUnderWay = true;
    this.#underWay.push(pending);
    this.#parts.log.append(pending.records).then(
      (appended) => {
        pending.isUnderWay = false;
        this.#forget();
        pending.resolve(appended);
      },
      (error: unknown) => this.#onRejected(pending, error),
    );
  }

  #onRejected(pending: Pending, error: unknown): void {
    // No longer under way: it went to the spool, which settles it.
    if (!pending.isUnderWay) return;
    if (isRetryable(error)) {
      this.#divert();
      return;
    }
    pending.isUnderWay = false;
    this.#forget();
    pending.reject(error);
  }

  /** The oldest ones that are settled. */
  #forget(): void {
    let settled = 0;
    while (this.#underWay[settled]?.isUnderWay === false) settled++;
    if (settled === 1) this.#underWay.shift();
    else if (settled > 1) this.#underWay.splice(0, settled);
  }

  #wait({ records, resolve, reject }: Pending): void {
    const { spool, mayWait } = this.#parts;
    if (mayWait?.() === false) {
      reject(new TidemarkError('LOG_UNAVAILABLE', 'the log is away, and our clock has jumped since it was last seen'));
      return;
    }
    spool
      .append(records)
      .then(() => this.#admission.pass(records.length))
      .then(() => resolve(null), reject);
  }

  /** The log is away, or something waits already: all that it has not settled goes to the spool, in the order it came. */
  #divert(): void {
    this.#state = 'spooling';
    const all = [...this.#underWay.filter(({ isUnderWay }) => isUnderWay), ...this.#held.splice(0)];
    this.#underWay = [];
    for (const pending of all) {
      pending.isUnderWay = false;
      this.#wait(pending);
    }
    if (this.#isForwarding || this.#stopping.signal.aborted) return;
    this.#isForwarding = true;
    this.#forwarding = this.#forward();
  }

  /** Until nothing waits and the log is there. Never rejects. */
  async #forward(): Promise<void> {
    const { spool, logger } = this.#parts;
    const began = performance.now();
    let isSaid = false;
    let hasFailed = false;
    while (this.#state !== 'direct' && !this.#stopping.signal.aborted) {
      if (!isSaid && spool.messages > 0) logger.warn('messages wait in the spool until the event log has them');
      isSaid ||= spool.messages > 0;
      try {
        await this.#forwardAll();
        if (spool.isEmpty) this.#goDirect();
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        if (!hasFailed) logger.error({ err: error }, 'forwarding from the spool has failed: trying again');
        hasFailed = true;
        await pause(FAILED_WAIT_MS, this.#stopping.signal);
      }
    }
    // Before anything else can find the log away again.
    this.#isForwarding = false;
    const tookMs = Math.round(performance.now() - began);
    if (isSaid && this.isDirect) logger.info({ tookMs }, 'the event log has all that waited in the spool');
  }

  async #forwardAll(): Promise<void> {
    const before = this.#forwarder.forwarded;
    await this.#forwarder.drain();
    if (this.#forwarder.forwarded > before) return;
    // Nothing has shown that the log is back.
    await retry(() => this.#parts.log.check(), { signal: this.#stopping.signal, longestWaitMs: LONGEST_CHECK_WAIT_MS });
  }

  #goDirect(): void {
    this.#state = 'direct';
    this.#admission.off();
    for (const pending of this.#held.splice(0)) this.#send({ ...pending, tick: this.#tick });
  }

  /** Else, under load, there would always be something in the spool. */
  #holdIfLittleWaits(): void {
    if (this.#state !== 'spooling' || this.#parts.spool.bytes > HAND_OVER_BYTES) return;
    this.#state = 'handing over';
    this.#heldSince = this.#tick;
  }

  /** The log does not take what waits: what is held goes to the spool, and nobody waits for what is forwarded. */
  #onTrouble(): void {
    this.#admission.off();
    if (this.#state === 'handing over') this.#divert();
  }

  #onTick(): void {
    this.#tick++;
    if (this.#tick - this.#forwardedAt > FORWARD_TICKS) this.#admission.off();
    if (this.#state === 'handing over' && this.#tick - this.#heldSince > FORWARD_TICKS) this.#onTrouble();
    const [oldest] = this.#underWay;
    if (oldest !== undefined && this.#tick - oldest.tick > APPEND_TICKS) this.#divert();
  }
}
