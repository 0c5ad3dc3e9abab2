import { isRetryable } from '../runtime/errors.ts';
import type { NewestErasure } from '../stores/erasures/erasure.ts';

export interface KeptAnswersParts {
  readonly keptMs: number;
  /** The newest erasure of a person of a project; null where nobody was forgotten, which is the default. */
  readonly newestErasure?: ((projectId: string) => Promise<NewestErasure | null>) | undefined;
  /** A monotonic clock, `performance.now` by default. */
  readonly monotonicMs?: (() => number) | undefined;
  /** How many entries all answers may have; the oldest go first. */
  readonly mostEntries?: number;
}

/** An answer and how much room it takes. */
export interface FoundAnswer<T> {
  readonly answer: T;
  readonly entries: number;
}

interface Kept<T> {
  readonly sinceMs: number;
  /** How long it may be kept at most. */
  readonly mostMs: number;
  /** How long it took to find; 0 until it is known. */
  tookMs: number;
  /** The newest erasure before it was found; undefined where that was not known. */
  readonly newest: string | undefined;
  readonly found: Promise<FoundAnswer<T>>;
  /** 0 until it is known. */
  entries: number;
}

const NO_ERASURE: NewestErasure = { state: 'done', requestedAt: 0n };

/** While rows of somebody may still be there, an answer may have them. */
const WHILE_ERASING_MS = 2_000;

/**
 * Answers about a project that are kept for a while, so that many who ask at once cost as much as one. From an erasure on they
 * are found anew: kept ones may have values of the person. A failure is not kept.
 */
export class KeptAnswers<T> {
  readonly #parts: KeptAnswersParts;
  readonly #nowMs: () => number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept<T>>();

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts;
    this.#nowMs = parts.monotonicMs ?? (() => performance.now());
  }

  /**
   * @param key Names the question, beginning with the project.
   * @param keptMs How old a kept answer may be, by the time that it took to find; by default as old as any.
   */
  async of(
    key: readonly [projectId: string, ...question: string[]],
    find: () => Promise<FoundAnswer<T>>,
    keptMs: (tookMs: number) => number = () => this.#parts.keptMs,
  ): Promise<T> {
    const erasure = await this.#newestErasure(key[0]);
    const newest = erasure && `${erasure.state}/${erasure.requestedAt}`;
    const name = JSON.stringify(key);
    const nowMs = this.#nowMs();
    const kept = this.#kept.get(name);
    const isNew = newest !== undefined && kept?.newest !== newest;
    if (kept !== undefined && nowMs < kept.sinceMs + Math.min(keptMs(kept.tookMs), kept.mostMs) && !isNew)
      return (await kept.found).answer;
    const mostMs = erasure?.state === 'pending' ? WHILE_ERASING_MS : this.#parts.keptMs;
    const keeping: Kept<T> = { sinceMs: nowMs, mostMs, newest, found: find(), entries: 0, tookMs: 0 };
    this.#kept.delete(name);
    this.#kept.set(name, keeping);
    try {
      const { answer, entries } = await keeping.found;
      keeping.entries = entries;
      keeping.tookMs = this.#nowMs() - nowMs;
      this.#forgetMost(nowMs);
      return answer;
    } catch (error) {
      if (this.#kept.get(name) === keeping) this.#kept.delete(name);
      throw error;
    }
  }

  /** Undefined where Postgres is away: nobody can be forgotten then either. */
  async #newestErasure(projectId: string): Promise<NewestErasure | undefined> {
    const { newestErasure = async () => null } = this.#parts;
    try {
      return (await newestErasure(projectId)) ?? NO_ERASURE;
    } catch (error) {
      if (!isRetryable(error)) throw error;
      return undefined;
    }
  }

  /** Forgets what is too old, then the oldest answers until the others are few enough. */
  #forgetMost(nowMs: number): void {
    let entries = 0;
    for (const kept of this.#kept.values()) entries += kept.entries;
    for (const [name, kept] of this.#kept) {
      if (nowMs < kept.sinceMs + kept.mostMs && entries <= (this.#parts.mostEntries ?? Infinity)) return;
      entries -= kept.entries;
      this.#kept.delete(name);
    }
  }
}
