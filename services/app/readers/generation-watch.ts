import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import { FIRST_GENERATION, type Generation, type GenerationKind } from '../../stores/generations/generation.ts';
import { liveNumbersOf, type LiveRow, SqlGenerations } from '../../stores/generations/sql-generations.ts';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import { type GenerationParts, GenerationReaders } from './generation-readers.ts';

const GENERATIONS_POLL_MS = 1_000;
const CANNOT_FOLLOW = 'the generations cannot be followed';

/** Runs readers for every generation, and follows as generations are created, swapped and dropped. */
export class GenerationWatch {
  /** Rejects with the first permanent failure of a reader whose generation is live; never resolves. */
  readonly failed: Promise<never>;
  readonly #parts: GenerationParts;
  readonly #kinds: readonly GenerationKind[];
  readonly #generations: SqlGenerations;
  readonly #logger: Logger;
  readonly #fail: (error: unknown) => void;
  readonly #running = new Map<string, GenerationReaders>();
  readonly #looking: Looking;
  #shown: string | undefined;

  constructor(parts: GenerationParts, kinds: readonly GenerationKind[]) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#parts = parts;
    this.#kinds = kinds;
    this.#logger = parts.logger;
    this.#generations = new SqlGenerations(parts.database);
    this.#looking = new Looking({
      look: () => this.#followAll(),
      everyMs: GENERATIONS_POLL_MS,
      cannot: CANNOT_FOLLOW,
      logger: parts.logger,
      level: 'debug',
    });
  }

  /** The readers of the generations that are fed here. */
  get running(): readonly GenerationReaders[] {
    return [...this.#running.values()];
  }

  start(): void {
    this.#looking.start();
  }

  /** Waits for the batches under way. Idempotent. */
  async stop(): Promise<void> {
    const looked = this.#looking.stop();
    const stopRunning = (): Promise<unknown> => Promise.all(this.running.map((readers) => readers.stop()));
    // A look may wait long for a database that does not answer, and may have begun others meanwhile.
    await Promise.all([looked, stopRunning()]);
    await stopRunning();
  }

  async #followAll(): Promise<void> {
    const all = await this.#generations.list();
    const live = await this.#generations.live();
    const fed = all.filter(({ kind, state }) => this.#kinds.includes(kind) && isFed(state));
    const names = new Set(fed.map(keyOfGeneration));
    for (const [name, readers] of this.#running) {
      if (names.has(name)) continue;
      this.#running.delete(name);
      await readers.stop();
    }
    for (const generation of fed) {
      // One whose tables do not exist yet does not keep the others from being fed.
      await this.#follow(generation, live).catch((err: unknown) => this.#logger.debug({ err }, `${CANNOT_FOLLOW} now`));
    }
    const { analytics } = this.#parts;
    if (analytics !== undefined) await this.#show(analytics, live);
  }

  async #follow(generation: Generation, live: readonly LiveRow[]): Promise<void> {
    const isLive = live.some(({ kind, number }) => kind === generation.kind && number === generation.number);
    const running = this.#running.get(keyOfGeneration(generation));
    if (running !== undefined) {
      running.follow(generation, isLive);
      return;
    }
    if (this.#looking.stopping.aborted) return;
    const readers = await GenerationReaders.of(this.#parts, generation);
    readers.follow(generation, isLive);
    this.#running.set(keyOfGeneration(generation), readers);
    readers.failed.catch((error: unknown) => {
      if (readers.isLive) this.#fail(error);
    });
    readers.start();
    if (generation.number !== FIRST_GENERATION) {
      this.#logger.info({ kind: generation.kind, generation: generation.number }, 'reading into this generation');
    }
  }

  /** Updates the plain views, for jobs that query ClickHouse themselves, where the process that swapped could not. */
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

function keyOfGeneration({ kind, number }: Generation): string {
  return `${kind}-${number}`;
}
