import type { AppendEncoded, EventLog } from '../event-log/event-log.ts';
import type { Config } from '../runtime/config.ts';
import { DecayingMax } from '../runtime/decaying-max.ts';
import { isServer } from '../runtime/embedded.ts';
import { hasCode } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { BodySource } from './encode-job.ts';

export interface OffloadParts {
  readonly log: Pick<EventLog, 'openEncoder'>;
  /** The module of the record encoder, for a log that can run it in its writer thread. */
  readonly encoder?: URL | undefined;
  readonly logger: Pick<Logger, 'warn'>;
}

// Batches take longer to encode than to receive, so each of the two threads encodes some: half of those that are
// open at once, a fifth to two thirds more of them a second. With few, half would leave this thread to wait for the other
// one, which encodes nothing while it waits for the disk; a quarter brings a fifth more too.
const MANY_OPEN = 16;

/**
 * Decides which bodies are offloaded: encoded in the log's writer thread, which saves the HTTP thread the time that it
 * takes to parse, validate and encode them.
 */
export class Offload {
  readonly #parts: OffloadParts;
  #append: AppendEncoded | undefined;
  readonly #recentlyOpen = new DecayingMax();
  #openBatches = 0;
  #offloadedBatches = 0;

  constructor(parts: OffloadParts) {
    this.#parts = parts;
  }

  /** Nothing is offloaded before this resolves, or ever where the log has no such thread. Never rejects. */
  async open(): Promise<void> {
    const { log, encoder, logger } = this.#parts;
    if (encoder === undefined || log.openEncoder === undefined) return;
    try {
      this.#append = await log.openEncoder(encoder);
    } catch (error) {
      if (hasCode(error, 'STOPPING')) return;
      logger.warn({ err: error }, 'the event log cannot make records itself: the thread that answers makes them');
    }
  }

  /**
   * Runs one request.
   *
   * @param mayOffload False where the request must be encoded in this thread.
   * @param accept Is given how to offload the body; undefined where this thread encodes it.
   */
  run<T>(
    source: BodySource,
    mayOffload: boolean,
    accept: (append: AppendEncoded | undefined) => Promise<T>,
  ): Promise<T> {
    return source === 'batch' ? this.#runBatch(mayOffload, accept) : accept(mayOffload ? this.#append : undefined);
  }

  async #runBatch<T>(mayOffload: boolean, accept: (append: AppendEncoded | undefined) => Promise<T>): Promise<T> {
    this.#recentlyOpen.see(++this.#openBatches);
    const append = mayOffload && this.#offloadedBatches < this.#maxOffloadedBatches ? this.#append : undefined;
    try {
      return await accept(append && this.#counting(append));
    } finally {
      this.#openBatches--;
    }
  }

  get #maxOffloadedBatches(): number {
    const open = Math.round(this.#recentlyOpen.value);
    return Math.floor(open < MANY_OPEN ? open / 4 : open / 2);
  }

  #counting(append: AppendEncoded): AppendEncoded {
    return async (job) => {
      this.#offloadedBatches++;
      try {
        return await append(job);
      } finally {
        this.#offloadedBatches--;
      }
    };
  }
}

const WRITER_ENCODER = new URL('./record-encoder.ts', import.meta.url);

/**
 * The module of the record encoder for the embedded log's writer thread; undefined where the HTTP thread encodes all
 * records: for a log on a server, behind a spool, and for schemas with a registry's ids, since the module knows only the
 * embedded ones.
 */
export function encoderModuleOf({
  eventLogUrl,
  spoolDir,
  schemaRegistryUrl,
}: Pick<Config, 'eventLogUrl' | 'spoolDir' | 'schemaRegistryUrl'>): URL | undefined {
  const isEmbedded = !isServer(eventLogUrl) && spoolDir === undefined && schemaRegistryUrl === undefined;
  return isEmbedded ? WRITER_ENCODER : undefined;
}
