import { hasCode } from './errors.ts';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';

export interface LookingParts {
  /** Does what is due. Resolves with true where there may be more of it at once. */
  readonly look: (stopping: AbortSignal) => Promise<boolean | void>;
  /** The time to the next look, in milliseconds, where there is nothing more. */
  readonly everyMs: number;
  /** What cannot be done while `look` fails, for the log at this level: a failure after a failure is not logged again. */
  readonly cannot: string;
  readonly logger: Partial<Pick<Logger, 'warn' | 'debug'>>;
  readonly level?: 'warn' | 'debug';
}

/** Looks for what is due, again and again, from its start until it is stopped. To start or stop it twice does nothing. */
export class Looking {
  readonly #parts: LookingParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: LookingParts) {
    this.#parts = parts;
  }

  /** Aborted once it is to end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#running ??= this.#run(this.#stopping.signal);
  }

  /** Waits for the look under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { look, everyMs, cannot, logger, level = 'warn' } = this.#parts;
    let isFailing = false;
    while (!stopping.aborted) {
      try {
        const hasMore = await look(stopping);
        isFailing = false;
        if (hasMore === true) continue;
      } catch (error) {
        if (!isFailing && !isStopping(error, stopping)) logger[level]?.({ err: error }, `${cannot} now`);
        isFailing = true;
      }
      await pause(everyMs, stopping);
    }
  }
}

/** Whether something failed because all of it ends. */
export function isStopping(error: unknown, stopping: AbortSignal): boolean {
  return stopping.aborted || hasCode(error, 'STOPPING');
}
