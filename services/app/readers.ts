import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import type { Database } from '../stores/database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { LiveGenerations } from '../stores/generations/live-generations.ts';
import { LiveProgress } from '../stores/generations/live-progress.ts';
import { SqlGenerations } from '../stores/generations/sql-generations.ts';
import type { Codec } from '../messages/codec.ts';
import type { ReaderName } from '../stores/profiles/profile-store.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ReaderState } from './generation-readers.ts';
import { GenerationWatch } from './generation-watch.ts';
import { LiveLag } from '../consumers/throttle/live-lag.ts';
import { inSequence, liveLagThrottle, type Throttle } from '../consumers/throttle/throttle.ts';
import { type LaneReader, ReaderMetrics } from '../consumers/reader-metrics.ts';
import type { ReadersHealth } from './stores.ts';
import { VerifyWatch } from '../maintenance/verify/verify-watch.ts';

export interface ReadersParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  readonly throttle?: Throttle;
  /** A reader that has failed on the same thing for so long is stuck. */
  readonly stuckAfterMs?: number;
}

const STUCK_AFTER_MS = 60_000;

/**
 * Projector and sink, either or both, at work on opened stores: for every generation that they feed, each once for live
 * messages and once for imported ones, whose throttle puts live messages first.
 */
export class Readers implements ReadersHealth {
  /** Rejects with the first that no waiting cures, where its generation answers; never resolves. The others go on. */
  readonly failed: Promise<never>;
  readonly #parts: ReadersParts;
  readonly #analytics: AnalyticsStore | undefined;
  readonly #names: readonly LaneReader[];
  readonly #metrics: ReaderMetrics;
  readonly #watch: GenerationWatch;
  /** Where analytics is open: it takes both stores to verify. */
  readonly #verification: VerifyWatch | undefined;

  private constructor(parts: ReadersParts, analytics: AnalyticsStore | undefined, kinds: readonly ReaderName[]) {
    const progress = new LiveProgress(parts.database, new LiveGenerations(parts.database));
    const throttle = inSequence(parts.throttle);
    const arePaused = (): Promise<boolean> => new SqlGenerations(parts.database).isAnyPaused();
    const lag = new LiveLag({ log: parts.log, progress, readers: kinds, arePaused });
    const throttleForHistory = inSequence(throttle, liveLagThrottle(lag));
    const generationKinds = kinds.map((kind) => (kind === 'projector' ? 'profiles' : 'analytics'));
    this.#names = [...kinds, ...kinds.map((kind): LaneReader => `import-${kind}`)];
    this.#metrics = new ReaderMetrics(
      { ...parts, waitingMs: (name) => this.#waitingMs(name) },
      progress,
      this.#names,
      generationKinds,
    );
    this.#watch = new GenerationWatch(
      { ...parts, analytics, metrics: this.#metrics, throttle, throttleForHistory },
      generationKinds,
    );
    this.#parts = parts;
    this.#analytics = analytics;
    this.#verification = analytics && verificationOf(parts, analytics);
    this.failed = this.#watch.failed;
  }

  static projector(parts: ReadersParts): Readers {
    return new Readers(parts, undefined, ['projector']);
  }

  static sink(parts: ReadersParts, analytics: AnalyticsStore): Readers {
    return new Readers(parts, analytics, ['sink']);
  }

  static both(parts: ReadersParts, analytics: AnalyticsStore): Readers {
    return new Readers(parts, analytics, ['projector', 'sink']);
  }

  start(): void {
    this.#watch.start();
    this.#verification?.start();
  }

  /** A reader is as well as those of its name whose generations answer. */
  async health(): Promise<Readonly<Record<string, string>>> {
    const { stuckAfterMs = STUCK_AFTER_MS } = this.#parts;
    const live = this.#live();
    const readers = this.#names.map((wanted) => {
      const states = live.filter(({ name }) => name === wanted).map((state) => stateOfReader(state, stuckAfterMs));
      return [wanted, states.find((state) => state !== 'ready') ?? 'ready'] as const;
    });
    return { ...(await statesOf(this.#parts.database, this.#analytics)), ...Object.fromEntries(readers) };
  }

  async metrics(): Promise<string> {
    const [readers, verification = ''] = await Promise.all([this.#metrics.text(), this.#verification?.metrics()]);
    return `${readers}${verification}`;
  }

  /** The readers whose generations answer. */
  #live(): readonly ReaderState[] {
    return this.#watch.running.filter(({ isLive }) => isLive).flatMap(({ states }) => states);
  }

  #waitingMs(wanted: LaneReader): number {
    return Math.max(
      0,
      ...this.#live().flatMap(({ name, trouble }) => (name === wanted && trouble ? [trouble.forMs] : [])),
    );
  }

  /** Waits for the batches under way. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all([this.#verification?.stop(), this.#watch.stop()]);
  }
}

function verificationOf(parts: ReadersParts, analytics: AnalyticsStore): VerifyWatch {
  const { log, codec, database, throttle, config, logger } = parts;
  const { verifyEveryMs: everyMs, repeatWindowMs } = config;
  return new VerifyWatch({ log, codec, database, analytics, throttle, everyMs, repeatWindowMs, logger });
}

/** The states of the stores that there are, by the names that `/readyz` has for them. */
export async function statesOf(
  database: Pick<Database, 'query'>,
  analytics: Pick<AnalyticsStore, 'check'> | undefined,
): Promise<Readonly<Record<string, string>>> {
  const [profiles, asked] = await Promise.all([
    stateOf(() => database.query('select 1')),
    analytics === undefined ? undefined : stateOf(() => analytics.check()),
  ]);
  return asked === undefined ? { profiles } : { profiles, analytics: asked };
}

/** Shown to everybody: a code of ours and words of ours, and nothing of an error's text. */
function stateOfReader({ failed, trouble }: ReaderState, stuckAfterMs: number): string {
  if (failed) return 'failed';
  if (trouble === undefined || trouble.forMs < stuckAfterMs) return 'ready';
  return `stuck: cannot ${trouble.what} (${trouble.code})`;
}

/** A store's state in a word. */
async function stateOf(check: () => Promise<unknown>): Promise<string> {
  try {
    await check();
    return 'ready';
  } catch {
    return 'away';
  }
}
