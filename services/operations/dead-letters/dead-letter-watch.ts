import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import { type FoundWaiting, WaitingDeadLetters, type WaitingDeadLettersParts } from '../status/waiting-dead-letters.ts';

export interface DeadLetterWatchParts extends WaitingDeadLettersParts {
  /** Whether anybody is to be told: else nothing is read. */
  readonly isWanted: () => Promise<boolean>;
  /** Is told of the same dead letters again and again while they wait. */
  readonly tell: (found: Pick<FoundWaiting, 'letters' | 'isWhole'>) => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
}

const LETTERS_POLL_MS = 10_000;

/** Tells of the dead letters that wait. What was found is on the log, so that a crash loses none of it. */
export class DeadLetterWatch {
  readonly #looking: Looking;

  constructor({ isWanted, tell, logger, everyMs = LETTERS_POLL_MS, ...parts }: DeadLetterWatchParts) {
    const waiting = new WaitingDeadLetters(parts);
    const look = async (stopping: AbortSignal): Promise<boolean> => {
      if (!(await isWanted())) return false;
      const { isRead, ...found } = await waiting.look(stopping);
      if (isRead) await tell(found);
      return !isRead;
    };
    this.#looking = new Looking({ look, everyMs, cannot: 'cannot look for dead letters that wait', logger });
  }

  start(): void {
    this.#looking.start();
  }

  /** Idempotent. */
  stop(): Promise<void> {
    return this.#looking.stop();
  }
}
