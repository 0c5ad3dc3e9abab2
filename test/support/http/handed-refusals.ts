import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { CountedRefusals } from '../../../services/stores/service-state/refusal-store.ts';

/** Keeps what is handed to the store of refusals. */
export class HandedRefusals {
  /** The groups of each call. */
  readonly calls: (readonly CountedRefusals[])[] = [];
  unreachable = false;

  get all(): readonly CountedRefusals[] {
    return this.calls.flat();
  }

  async add(counted: readonly CountedRefusals[]): Promise<void> {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
    this.calls.push(counted);
  }

  deleteOld(): Promise<void> {
    return Promise.resolve();
  }
}
