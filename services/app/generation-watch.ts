import type { Logger } from '../runtime/logger.ts';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import { FIRST_GENERATION, type Generation, type GenerationKind } from '../stores/generations/generation.ts';
import { liveNumbersOf, type LiveRow, SqlGenerations } from '../stores/generations/sql-generations.ts';
import { type GenerationParts, GenerationReaders } from './generation-readers.ts';

const LOOK_EVERY_MS = 1_000;

/** Runs readers for every generation that there is, and follows where some are made, swapped or dropped. */
export class GenerationWatch {
  /** Rejects with the first failure, that no waiting cures, of a reader whose generation answers; never resolves. */
  readonly failed: Promise<never>;
  readonly #parts: GenerationParts;
  readonly #kinds: readonly GenerationKind[];
  readonly #generations: SqlGenerations;
  readonly #logger: Logger;
  readonly #fail: (error: unknown) => void;
  readonly #running = new Map<string, GenerationReaders>();
  #shown: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: GenerationParts, kinds: readonly GenerationKind[]) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#parts = parts;
    this.#kinds = kinds;
    this.#logger = parts.logger;
    this.#generations = new SqlGenerations(parts.database);
  }

  /** Those that run here. */
  get running(): readonly GenerationReaders[] {
    return [...this.#running.values()];
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#lookAgain(), LOOK_EVERY_MS).unref();
    this.#lookAgain();
  }

  /** Waits for the batches under way. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.running.map((readers) => readers.stop()));
  }

  #lookAgain(): void {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#cannot(error))
      .finally(() => (this.#looking = undefined));
  }

  /** The next look tries again. */
  #cannot(error: unknown): void {
    this.#logger.debug({ err: error }, 'the generations cannot be followed now');
  }

  async #look(): Promise<void> {
    const all = await this.#generations.list();
    const live = await this.#generations.live();
    const fed = all.filter(({ kind, state }) => this.#kinds.includes(kind) && isFed(state));
    const names = new Set(fed.map(nameOf));
    for (const [name, readers] of this.#running) {
      if (names.has(name)) continue;
      this.#running.delete(name);
      await readers.stop();
    }
    for (const generation of fed) {
      // One whose tables are not made yet keeps no other from being fed.
      await this.#follow(generation, live).catch((error: unknown) => this.#cannot(error));
    }
    const { analytics } = this.#parts;
    if (analytics !== undefined) await this.#show(analytics, live);
  }

  async #follow(generation: Generation, live: readonly LiveRow[]): Promise<void> {
    const isLive = live.some(({ kind, number }) => kind === generation.kind && number === generation.number);
    const running = this.#running.get(nameOf(generation));
    if (running !== undefined) {
      running.follow(generation, isLive);
      return;
    }
    if (this.#isStopped) return;
    const readers = await GenerationReaders.of(this.#parts, generation);
    readers.follow(generation, isLive);
    this.#running.set(nameOf(generation), readers);
    readers.failed.catch((error: unknown) => {
      if (readers.isLive) this.#fail(error);
    });
    readers.start();
    if (generation.number !== FIRST_GENERATION) {
      this.#logger.info({ kind: generation.kind, generation: generation.number }, 'reading into this generation');
    }
  }

  /** The plain views, for jobs that query ClickHouse by themselves: also where whoever swapped did not come to it. */
  async #show(analytics: AnalyticsStore, live: readonly LiveRow[]): Promise<void> {
    const rows = live.filter(({ kind }) => kind === 'analytics');
    const wanted = JSON.stringify(rows.map(({ projectId, number }) => [projectId, number]));
    if (this.#shown === wanted) return;
    await analytics.showGenerations(liveNumbersOf(rows));
    this.#shown = wanted;
  }
}

function isFed(state: Generation['state']): boolean {
  return state === 'building' || state === 'built';
}

function nameOf({ kind, number }: Generation): string {
  return `${kind}-${number}`;
}
