import type { Observation } from '../../operations/status/heartbeat.ts';
import { readerLags } from '../../operations/status/log-lag.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import type { Codec } from '../../messages/codec.ts';
import type { ReaderName } from '../../stores/profiles/profile-store.ts';
import type { Config } from '../../runtime/config.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { AnalyticsFollower, ReaderState } from './generation-readers.ts';
import { GenerationWatch } from './generation-watch.ts';
import { LiveLag } from '../../consumers/throttle/live-lag.ts';
import { inSequence, liveLagThrottle, type Throttle } from '../../consumers/throttle/throttle.ts';
import { type LaneReader, ReaderMetrics } from '../../consumers/reader-metrics.ts';
import type { ReadersHealth } from '../stores.ts';

export interface ReadersParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  /** Needed for a sink. */
  readonly analytics?: AnalyticsStore;
  readonly throttle?: Throttle | undefined;
  /** After this time a reader that repeats the same failing call is stuck. */
  readonly stuckAfterMs?: number;
  /** Is told what the sinks of this process insert; nobody by default. */
  readonly follower?: AnalyticsFollower | undefined;
}

const STUCK_AFTER_MS = 60_000;

/**
 * Runs the projector, the sink or both on opened stores. Every generation has a reader of live messages and one of imported
 * messages; the latter is throttled while live messages wait.
 */
export class Readers implements ReadersHealth {
  /** Rejects with the first permanent failure of a reader of a live generation; never resolves. The others continue. */
  readonly failed: Promise<never>;
  readonly #parts: ReadersParts;
  readonly #names: readonly LaneReader[];
  readonly #metrics: ReaderMetrics;
  readonly #watch: GenerationWatch;

  constructor(parts: ReadersParts, readers: readonly ReaderName[]) {
    const { log, database, analytics } = parts;
    const progress = new LiveGenerations(database);
    const throttle = inSequence(parts.throttle);
    const arePaused = (): Promise<boolean> => new SqlGenerations(database).isAnyPaused();
    const throttleForHistory = inSequence(
      throttle,
      liveLagThrottle(new LiveLag({ log, progress, readers, arePaused })),
    );
    const kinds = readers.map((reader) => (reader === 'projector' ? 'profiles' : 'analytics'));
    this.#parts = parts;
    this.#names = [...readers, ...readers.map((reader): LaneReader => `import-${reader}`)];
    const lags = (signal: AbortSignal) => readerLags({ log, progress }, signal);
    const waitingMs = (name: LaneReader): number => this.#waitingMs(name);
    this.#metrics = new ReaderMetrics({ ...parts, lags, waitingMs }, this.#names, kinds);
    const given = { ...parts, analytics, metrics: this.#metrics, throttle, throttleForHistory };
    this.#watch = new GenerationWatch(given, kinds);
    this.failed = this.#watch.failed;
  }

  start(): void {
    this.#watch.start();
  }

  /** The state of a reader is that of the readers of its name whose generations are live. */
  async health(): Promise<Readonly<Record<string, string>>> {
    const { stuckAfterMs = STUCK_AFTER_MS } = this.#parts;
    const live = this.#live();
    const readers = this.#names.map((wanted) => {
      const states = live.filter(({ name }) => name === wanted).map((state) => readerState(state, stuckAfterMs));
      return [wanted, states.find((state) => state !== 'ready') ?? 'ready'] as const;
    });
    return { ...(await statesOf(this.#parts.database, this.#parts.analytics)), ...Object.fromEntries(readers) };
  }

  /** Their states, and how many messages each has processed. */
  async observe(): Promise<Observation> {
    const counters = Object.fromEntries(this.#names.map((name) => [name, this.#metrics.processed(name)]));
    return { parts: await this.health(), counters };
  }

  metrics(): Promise<string> {
    return this.#metrics.text();
  }

  /** The readers whose generations are live. */
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
  stop(): Promise<void> {
    return this.#watch.stop();
  }
}

/** The states of the given stores, by their names in `/readyz`. */
export async function statesOf(
  database: Pick<Database, 'query'>,
  analytics: Pick<AnalyticsStore, 'check'> | undefined,
): Promise<Readonly<Record<string, string>>> {
  const [profiles, analyticsState] = await Promise.all([
    storeState(() => database.query('select 1')),
    analytics === undefined ? undefined : storeState(() => analytics.check()),
  ]);
  return analyticsState === undefined ? { profiles } : { profiles, analytics: analyticsState };
}

/** Shown without a key, so it has an error's code and never its text. */
function readerState({ failed, trouble }: ReaderState, stuckAfterMs: number): string {
  if (failed) return 'failed';
  if (trouble === undefined || trouble.forMs < stuckAfterMs) return 'ready';
  return `stuck: cannot ${trouble.what} (${trouble.code})`;
}

/** A store's state in one word. */
async function storeState(check: () => Promise<unknown>): Promise<string> {
  try {
    await check();
    return 'ready';
  } catch {
    return 'away';
  }
}
