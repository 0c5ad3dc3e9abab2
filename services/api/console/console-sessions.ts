/** Sign-ins to the console: an opaque token in a cookie, which stands for the key that it was opened with. */
import { randomBytes } from 'node:crypto';
import type { SessionKeys } from '../../http/access/session-cookie.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { ConsoleSession, SqlConsoleSessionStore } from '../../stores/service-state/console-session-store.ts';
import { hashKey } from '../../stores/projects/keys.ts';
import type { ProjectCache } from '../../stores/projects/project-cache.ts';
import type { AuthenticatedKey } from '../../stores/projects/project-store.ts';

const HOUR_MS = 3_600_000;
const IDLE_MS = 12 * HOUR_MS;
export const LIFETIME_MS = 7 * 24 * HOUR_MS;
/** A session that another process ended is over here this much later. */
const CHECK_EVERY_MS = 5_000;
const NOTE_USE_EVERY_MS = 60_000;
/** Tokens that are not in memory are looked for in the database: of made-up ones no more than this. */
const LOOKUPS_A_SECOND = 50;
const MAX_IN_MEMORY = 10_000;

/** A session that was signed in to just now. */
export interface OpenedSession {
  /** For the cookie; nothing else ever has it. */
  readonly token: string;
  readonly key: AuthenticatedKey;
  readonly expiresAtMs: number;
}

export interface ConsoleSessionsParts {
  readonly store: SqlConsoleSessionStore;
  readonly keys: Pick<ProjectCache, 'find' | 'findById'>;
  readonly nowMs?: () => number;
}

interface Remembered extends ConsoleSession {
  readonly checkedAtMs: number;
}

export class ConsoleSessions implements SessionKeys {
  readonly #store: SqlConsoleSessionStore;
  readonly #keys: Pick<ProjectCache, 'find' | 'findById'>;
  readonly #nowMs: () => number;
  /** By the SHA-256 of their tokens, the one checked longest ago first. */
  readonly #remembered = new Map<string, Remembered>();
  #lookups = { second: 0, count: 0 };

  constructor({ store, keys, nowMs = Date.now }: ConsoleSessionsParts) {
    this.#store = store;
    this.#keys = keys;
    this.#nowMs = nowMs;
  }

  /**
   * Opens a session for this key, or says why not: `unknown` includes revoked.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`.
   */
  async open(keyText: string): Promise<OpenedSession | 'unknown' | 'write-only'> {
    const key = await this.#keys.find(keyText);
    if (key === undefined) return 'unknown';
    if (key.scopes.every((scope) => scope === 'write')) return 'write-only';
    const token = randomBytes(32).toString('base64url');
    const madeAtMs = this.#nowMs();
    const expiresAtMs = madeAtMs + LIFETIME_MS;
    const session = {
      sha256: hashKey(token),
      keyId: key.id,
      projectId: key.project?.id ?? null,
      madeAtMs,
      expiresAtMs,
    };
    await this.#store.add(session, madeAtMs - IDLE_MS);
    return { token, key, expiresAtMs };
  }

  find(token: string): AuthenticatedKey | Promise<AuthenticatedKey | undefined> | undefined {
    const sha256 = hashKey(token);
    const known = this.#remembered.get(sha256);
    if (known === undefined || this.#nowMs() - known.checkedAtMs >= CHECK_EVERY_MS) return this.#look(sha256, known);
    return this.#keyOf(sha256, known);
  }

  /** When the session ends if it is used until then; undefined if it has ended. */
  expiryOf(token: string): number | undefined {
    return this.#remembered.get(hashKey(token))?.expiresAtMs;
  }

  /** Ends the session. Idempotent. @throws TidemarkError `STORE_UNAVAILABLE`. */
  async close(token: string): Promise<void> {
    const sha256 = hashKey(token);
    this.#remembered.delete(sha256);
    await this.#store.remove(sha256);
  }

  async #look(sha256: string, known: Remembered | undefined): Promise<AuthenticatedKey | undefined> {
    const nowMs = this.#nowMs();
    if (known === undefined) this.#countLookup(nowMs);
    const session = await this.#store.find(sha256);
    this.#remembered.delete(sha256);
    if (session === undefined || hasEnded(session, nowMs)) return undefined;
    const isUseNoted = nowMs - session.lastUsedAtMs < NOTE_USE_EVERY_MS;
    if (!isUseNoted) await this.#store.noteUsed(sha256, nowMs);
    this.#remember(sha256, { ...session, ...(!isUseNoted && { lastUsedAtMs: nowMs }), checkedAtMs: nowMs });
    return this.#keyOf(sha256, session);
  }

  #keyOf(sha256: string, session: ConsoleSession): ReturnType<SessionKeys['find']> {
    if (hasEnded(session, this.#nowMs())) return undefined;
    const key = this.#keys.findById(session.keyId);
    return key instanceof Promise ? key.then((found) => found ?? this.#end(sha256)) : key;
  }

  /** Ends the session of a key that has been revoked. */
  async #end(sha256: string): Promise<undefined> {
    this.#remembered.delete(sha256);
    await this.#store.remove(sha256);
  }

  #remember(sha256: string, session: Remembered): void {
    this.#remembered.set(sha256, session);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_IN_MEMORY && oldest !== undefined) this.#remembered.delete(oldest);
  }

  #countLookup(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#lookups.second) this.#lookups = { second, count: 0 };
    if (++this.#lookups.count > LOOKUPS_A_SECOND) {
      throw new TidemarkError('TOO_MANY_QUESTIONS', 'Too many unknown sessions are being looked for.');
    }
  }
}

function hasEnded({ lastUsedAtMs, expiresAtMs }: ConsoleSession, nowMs: number): boolean {
  return nowMs >= expiresAtMs || nowMs - lastUsedAtMs >= IDLE_MS;
}
