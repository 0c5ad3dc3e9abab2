import { setTimeout as delay } from 'node:timers/promises';
import type { Appended, EventLog, NewRecord } from '../event-log.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { retry } from '../../runtime/retry.ts';
import type { Frames } from './frames.ts';
import type { Segment } from './segments.ts';
import type { Spool } from './spool.ts';

export interface ForwarderParts {
  readonly spool: Spool;
  readonly log: Pick<EventLog, 'append'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** The log has stored the next records. `sentAtMs`: when they were sent, by our clock. */
  readonly onForwarded?: (appended: readonly Appended[], sentAtMs: number) => void;
  /** A segment was removed. */
  readonly onRemoved?: () => void;
  /** The log did not accept some records. They are appended again until it does. */
  readonly onTrouble?: () => void;
}

// Size of one append: what the event loop can process without delaying requests.
const FORWARD_CHUNK_RECORDS = 2_000;
const FORWARD_CHUNK_BYTES = 2 ** 20;

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
// Where the log fails with an error that is not retryable (damaged, misconfigured): an operator has to act.
const REFUSED_WAIT_MS = 5_000;
const READ_ATTEMPTS = 3;
const READ_AGAIN_MS = 500;

/** Forwards what waits to the log, oldest first, one append at a time, so that the order is kept. */
export class Forwarder {
  readonly #parts: ForwarderParts;
  #hasLogged = false;
  /** Messages that the log has stored. */
  forwarded = 0;
  /** Damaged ranges and unreadable segments, and records that the log rejects. Each is in a file that was kept. */
  quarantined = 0;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /** Resolves once nothing waits. @throws TidemarkError `STOPPING` once the signal is aborted. */
  async drain(): Promise<void> {
    const { spool, logger, onRemoved } = this.#parts;
    for (let segment = await spool.next(); segment !== undefined; segment = await spool.next()) {
      const keep = !(await this.#forward(segment));
      try {
        await spool.remove(segment, { keep });
      } catch (error) {
        logger.error({ err: error, path: segment.path }, 'a forwarded segment of the spool cannot be removed');
      }
      onRemoved?.();
    }
  }

  /** Returns false if the file must be kept. */
  async #forward(segment: Segment): Promise<boolean> {
    const frames = await this.#read(segment);
    if (frames === undefined) return false;
    const before = this.quarantined;
    this.#logDamage(segment, frames);
    for (const chunk of chunksOf(frames.records)) await this.#append(chunk, segment);
    return this.quarantined === before;
  }

  /** Returns undefined if it cannot be read. */
  async #read(segment: Segment): Promise<Frames | undefined> {
    const { spool, logger, signal } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) throw spoolClosed();
      try {
        return await spool.read(segment);
      } catch (error) {
        if (attempt === READ_ATTEMPTS) {
          this.quarantined++;
          const { path, messages } = segment;
          logger.error({ err: error, path, messages }, 'a segment of the spool cannot be read: kept aside');
          return undefined;
        }
      }
      await pauseOrStop(READ_AGAIN_MS, signal);
    }
  }

  #logDamage({ path }: Segment, { damaged, tornBytes }: Frames): void {
    const { logger } = this.#parts;
    if (damaged.length > 0) {
      this.quarantined += damaged.length;
      logger.error({ path: `${path}.kept`, damaged }, 'a segment of the spool is damaged: kept aside');
    }
    if (tornBytes > 0)
      logger.warn({ path, tornBytes }, 'the last write before a crash was incomplete: it was not acknowledged');
  }

  async #append(chunk: readonly NewRecord[], segment: Segment): Promise<void> {
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
  async #appendEach(chunk: readonly NewRecord[], segment: Segment, error: RangeError): Promise<void> {
    if (chunk.length > 1) {
      for (const record of chunk) await this.#append([record], segment);
      return;
    }
    this.quarantined++;
    this.#parts.logger.error(
      { err: error, path: `${segment.path}.kept` },
      'a message is larger than the event log accepts: kept aside',
    );
  }

  async #appendWithRetry(chunk: readonly NewRecord[]): Promise<void> {
    const { log, signal, onForwarded, onTrouble } = this.#parts;
    const append = async (): Promise<void> => {
      const sentAtMs = Date.now();
      try {
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

function* chunksOf(records: readonly NewRecord[]): Generator<readonly NewRecord[]> {
  let chunk: NewRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    bytes += record.value.byteLength;
    if (chunk.length === FORWARD_CHUNK_RECORDS || (bytes > FORWARD_CHUNK_BYTES && chunk.length > 0)) {
      yield chunk;
      chunk = [];
      bytes = record.value.byteLength;
    }
    chunk.push(record);
  }
  if (chunk.length > 0) yield chunk;
}

/** An append may take many seconds. After an abort nobody waits for it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw spoolClosed();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(spoolClosed());
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
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
