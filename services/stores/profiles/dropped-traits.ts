import type { Logger } from '../../runtime/logger.ts';
import type { DroppedTraits } from './newest-traits.ts';

const WARN_EVERY_MS = 60_000;

/** Says in the log that profiles drop traits: at the first, and then once a minute at most with what came since. */
export class DroppedTraitsWarning {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #nowMs: () => number;
  #warnedAtMs = -Infinity;
  #traits = 0;

  constructor(logger: Pick<Logger, 'warn'>, nowMs: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#nowMs = nowMs;
  }

  note(dropped: readonly DroppedTraits[]): void {
    this.#traits += countDropped(dropped);
    const [some] = dropped;
    if (some === undefined || this.#nowMs() < this.#warnedAtMs + WARN_EVERY_MS) return;
    this.#warnedAtMs = this.#nowMs();
    const such = { project: some.projectId, user: some.userKey };
    this.#logger.warn({ traits: this.#traits, such }, 'profiles with too many traits keep the newest of them');
    this.#traits = 0;
  }
}

/** How many traits these are in all. */
export function countDropped(dropped: readonly DroppedTraits[]): number {
  return dropped.reduce((sum, { traits }) => sum + traits, 0);
}
