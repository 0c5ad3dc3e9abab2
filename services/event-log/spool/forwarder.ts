import { setTimeout as delay } from 'node:timers/promises';
import type { Appended, EventLog, NewRecord } from '../event-log.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { untilAborted } from '../../runtime/pause.ts';
import { retry } from '../../runtime/retry.ts';
import type { Spool } from './spool.ts';

export interface ForwarderParts {
  readonly spool: Spool;
  readonly log: Pick<EventLog, 'append'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** The log has stored the next records. `sentAtMs`: when they were sent, by our clock. */
  readonly onForwarded?: (appended: readonly Appended[], sentAtMs: number) => void;
  /** The spool has forgotten what was forwarded. */
  readonly onRemoved?: () => void;
  /** The log did not accept some records. They are appended again until it does. */
  readonly onTrouble?: () => void;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
// Where the log fails with an error that is not retryable (damaged, misconfigured): an operator has to act.
const REFUSED_WAIT_MS = 5_000;

/** Forwards what waits to the log, oldest first, one append at a time, so that the order is kept. */
export class Forwarder {
  readonly #parts: ForwarderParts;
  #hasLogged = false;
  /** Messages that the log has stored. */
  forwarded = 0;
  /** Damaged places, and records that the log rejects. Each is in a file that was kept. */
  quarantined = 0;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /** Resolves once nothing waits. @throws TidemarkError `STOPPING` once the signal is aborted. */
  async drain(): Promise<void> {
    const { spool, logger, onRemoved } = this.#parts;
    for (let piece = await spool.read(); piece !== undefined; piece = await spool.read()) {
      const before = this.quarantined;
      const { records, lost, segment } = piece;
      if (lost > 0) {
        this.quarantined++;
        logger.error({ segment, lost }, 'messages of the spool are damaged: kept aside');
      }
      if (records.length > 0) await this.#append(records, segment);
      await spool.forwarded(piece, { keep: this.quarantined > before });
      onRemoved?.();
    }
  }

  async #append(chunk: readonly NewRecord[], segment: string): Promise<void> {
    for (;;) {
      try {
        return await this.#appendWithRetry(chunk);
      } catch (error) {
        if (this.#parts.signal.aborted) throw spoolClosed(error);
        if (error instanceof RangeError) return this.#appendEach(chunk, segment, error);
        if (!this.#hasLogged)
          this.#parts.logger.error({ err: error }, 'the event log refuses the messages of the spool: retrying');
        this.#hasLogged = true;
        await pauseOrStop(REFUSED_WAIT_MS, this.#parts.signal);
      }
    }
  }

  /** One of them is larger than the log accepts. The others must not wait for it. */
  async #appendEach(chunk: readonly NewRecord[], segment: string, error: RangeError): Promise<void> {
    if (chunk.length > 1) {
      for (const record of chunk) await this.#append([record], segment);
      return;
    }
    this.quarantined++;
    this.#parts.logger.error({ err: error, segment }, 'a message is larger than the event log accepts: kept aside');
  }

  async #appendWithRetry(chunk: readonly NewRecord[]): Promise<void> {
    const { log, signal, onForwarded, onTrouble } = this.#parts;
    const append = async (): Promise<void> => {
      const sentAtMs = Date.now();
      try {
        // It may take many seconds. After an abort nobody waits for it.
        const appended = await untilAborted(log.append(chunk), signal);
        this.forwarded += chunk.length;
        this.#hasLogged = false;
        onForwarded?.(appended, sentAtMs);
      } catch (error) {
        onTrouble?.();
        throw error;
      }
    };
    await retry(append, { signal, firstWaitMs: FIRST_WAIT_MS, longestWaitMs: LONGEST_WAIT_MS });
  }
}

async function pauseOrStop(waitMs: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(waitMs, undefined, { signal });
  } catch (cause) {
    throw spoolClosed(cause);
  }
}

function spoolClosed(cause?: unknown): TidemarkError {
  return new TidemarkError('STOPPING', 'the spool is closed', { cause });
}
