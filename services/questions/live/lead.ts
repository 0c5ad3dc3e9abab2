import { hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { pause } from '../../runtime/pause.ts';
import { keepRenewing } from '../../stores/database/leases.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import { LEAD_MS, overtaken, type SqlLiveStore } from './sql-live-store.ts';

export interface LeadParts {
  readonly store: Pick<SqlLiveStore, 'open' | 'renew' | 'release'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Whether no other process may follow audiences: then the first epoch waits for nobody. */
  readonly isAlone: boolean;
}

const TRY_AGAIN_MS = 1_000;

/** The right to follow live audiences, which one process has at a time: it holds the open epoch. */
export class Lead {
  readonly #parts: LeadParts;
  #byForce: boolean;
  /** An epoch that turned out to be closed. */
  #lost = 0n;

  constructor(parts: LeadParts) {
    this.#parts = parts;
    this.#byForce = parts.isAlone;
  }

  /** Waits until it has an epoch. Undefined once it is to stop. */
  async take(stopping: AbortSignal): Promise<LiveEpoch | undefined> {
    const { store, logger } = this.#parts;
    while (!stopping.aborted) {
      try {
        const opened = await store.open(this.#byForce);
        this.#byForce = false;
        return opened;
      } catch (error) {
        if (!hasCode(error, 'AUDIENCE_BUSY')) logger.warn({ err: error }, 'live audiences cannot be followed yet');
        await pause(TRY_AGAIN_MS, stopping);
      }
    }
    return undefined;
  }

  /** Has the epoch held until the returned function is called. @param epoch The open one: it may become another. */
  hold(epoch: () => bigint): () => Promise<void> {
    const endRenewing = keepRenewing(() => this.#renew(epoch()), LEAD_MS);
    return async () => {
      endRenewing();
      // If this fails, it ends by itself.
      await this.#parts.store.release(epoch()).catch(() => undefined);
    };
  }

  /** @throws TidemarkError `AUDIENCE_BUSY` if the epoch turned out to be closed. */
  expectOpen(epoch: bigint): void {
    if (this.#lost === epoch) throw overtaken();
  }

  async #renew(epoch: bigint): Promise<boolean> {
    const isOurs = await this.#parts.store.renew(epoch);
    if (!isOurs) this.#lost = epoch;
    return isOurs;
  }
}
