import type { StoreFigures } from '../../../services/operations/status/store-figures.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';

/** What stores would tell. */
export class MemoryStoreFigures implements StoreFigures {
  unreachable = false;
  last: Awaited<ReturnType<StoreFigures['verification']>> = null;
  backup: Awaited<ReturnType<StoreFigures['lastBackup']>> = null;
  /** Coordinates of messages of dead letters that were replayed or dropped. */
  readonly settledMessages = new Set<string>();
  readonly deleted = new Set<string>();
  readonly forgotten = new Map<string, bigint>();

  async profilesBytes(): Promise<number> {
    return this.#unlessUnreachable(8_192);
  }

  async analyticsBytes(): Promise<number> {
    return this.#unlessUnreachable(65_536);
  }

  async verification(): ReturnType<StoreFigures['verification']> {
    return this.#unlessUnreachable(this.last);
  }

  async verificationHours(): ReturnType<StoreFigures['verificationHours']> {
    return this.#unlessUnreachable([]);
  }

  async lastBackup(): ReturnType<StoreFigures['lastBackup']> {
    return this.#unlessUnreachable(this.backup);
  }

  async settled(messages: Parameters<StoreFigures['settled']>[0]): Promise<readonly string[]> {
    const names = messages.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`);
    return this.#unlessUnreachable(names.filter((name) => this.settledMessages.has(name)));
  }

  async oldestErasure(): Promise<null> {
    return this.#unlessUnreachable(null);
  }

  async pausedForDrill(): Promise<number> {
    return this.#unlessUnreachable(0);
  }

  async newestErasure(): Promise<null> {
    return this.#unlessUnreachable(null);
  }

  async leftOut(): ReturnType<StoreFigures['leftOut']> {
    return this.#unlessUnreachable({ projects: this.deleted, users: this.forgotten });
  }

  async ofProject(): ReturnType<StoreFigures['ofProject']> {
    return this.#unlessUnreachable({
      hours: [{ hour: 494_000, messages: 3, repeats: 1 }],
      refusedToday: 2,
      refusedYesterday: 1,
      verification: null,
      movedAudiences: [],
    });
  }

  #unlessUnreachable<T>(value: T): T {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unavailable, as ordered');
    return value;
  }
}
