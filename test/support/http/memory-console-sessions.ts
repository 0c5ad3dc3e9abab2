import { TidemarkError } from '../../../services/runtime/errors.ts';
import type {
  ConsoleSession,
  ConsoleSessionStore,
  NewConsoleSession,
} from '../../../services/stores/service-state/console-session-store.ts';

/** Sessions of the console in memory, whose store can be unavailable. */
export class MemoryConsoleSessions implements ConsoleSessionStore {
  readonly #sessions = new Map<string, ConsoleSession>();
  unreachable = false;

  async add({ sha256, keyId, expiresAtMs, madeAtMs: lastUsedAtMs }: NewConsoleSession): Promise<void> {
    this.#check();
    this.#sessions.set(sha256, { keyId, expiresAtMs, lastUsedAtMs });
  }

  async find(sha256: string): Promise<ConsoleSession | undefined> {
    this.#check();
    return this.#sessions.get(sha256);
  }

  async noteUsed(): Promise<void> {
    this.#check();
  }

  async remove(sha256: string): Promise<void> {
    this.#check();
    this.#sessions.delete(sha256);
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unavailable, as ordered');
  }
}
