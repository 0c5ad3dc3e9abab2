import { hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { LiveHistory } from '../../stores/analytics/live-history.ts';
import type { SqlLiveStore } from './sql-live-store.ts';

export interface FolderParts {
  readonly store: Pick<SqlLiveStore, 'closedEpochs' | 'fold'>;
  readonly history: Pick<LiveHistory, 'dropUncounted'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const FOLD_EVERY_MS = 3_600_000;
/** No insert of an epoch comes later than this after its end. */
const LAST_INSERT_MS = 3_600_000;

/**
 * Every start of the process begins an epoch, and every question about changes names all of them. Time and again those that
 * are over become one: first the changes that never count are removed, and only then do the others count without an epoch of
 * their own. Whatever fails in between is done again.
 */
export class EpochFolder {
  readonly #parts: FolderParts;
  #foldedAt = -Infinity;
  #folding: Promise<void> | undefined;

  constructor(parts: FolderParts) {
    this.#parts = parts;
  }

  /** Nobody waits for it. */
  foldIfDue(): void {
    if (this.#folding !== undefined || performance.now() - this.#foldedAt < FOLD_EVERY_MS) return;
    this.#foldedAt = performance.now();
    this.#folding = this.fold()
      .catch((error: unknown) => {
        if (!hasCode(error, 'STOPPING')) this.#parts.logger.warn({ err: error }, 'epochs cannot be folded now');
      })
      .finally(() => (this.#folding = undefined));
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    await this.#folding;
  }

  /** @throws What the stores throw. */
  async fold(closedForMs = LAST_INSERT_MS): Promise<void> {
    const { store, history } = this.#parts;
    const closed = await store.closedEpochs(closedForMs);
    const last = closed.at(-1);
    if (last === undefined || closed.length === 1) return;
    await history.dropUncounted(closed);
    await store.fold(last.epoch);
  }
}
