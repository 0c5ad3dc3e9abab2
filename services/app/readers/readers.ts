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
import { BackupMetrics } from '../../operations/backup/backup-metrics.ts';
import { ErasureMetrics } from '../../operations/erasure/erasure-watch.ts';
import { VerifyWatch } from '../../operations/verify/verify-watch.ts';
import { noteDifference } from '../../webhooks/notices.ts';

export interface ReadersParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  readonly throttle?: Throttle;
  /** After this time a reader that repeats the same failing call is stuck. */
  readonly stuckAfterMs?: number;
  /** Is told what the sinks of this process insert; nobody by default. */
  readonly follower?: AnalyticsFollower;
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
  readonly #analytics: AnalyticsStore | undefined;
  readonly #names: readonly LaneReader[];
  readonly #metrics: ReaderMetrics;
  readonly #watch: GenerationWatch;
  /** Only where analytics is open: verification needs both stores. */
  readonly #verification: VerifyWatch | undefined;
  readonly #backups: BackupMetrics;
  readonly #erasures: ErasureMetrics;

  private constructor(parts: ReadersParts, analytics: AnalyticsStore | undefined, kinds: readonly ReaderName[]) {
    const progress = new LiveGenerations(parts.database);
    const throttle = inSequence(parts.throttle);
    const arePaused = (): Promise<boolean> => new SqlGenerations(parts.database).isAnyPaused();
    const lag = new LiveLag({ log: parts.log, progress, readers: kinds, arePaused });
    const throttleForHistory = inSequence(throttle, liveLagThrottle(lag));
    const generationKinds = kinds.map((kind) => (kind === 'projector' ? 'profiles' : 'analytics'));
    this.#names = [...kinds, ...kinds.map((kind): LaneReader => `import-${kind}`)];
    this.#metrics = new ReaderMetrics(
      {
        ...parts,
        lags: (signal) => readerLags({ ...parts, progress }, signal),
        waitingMs: (name) => this.#waitingMs(name),
      },
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
    this.#backups = new BackupMetrics(parts.database, parts.config.backupDir);
    this.#erasures = new ErasureMetrics(parts.database);
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

  /** The state of a reader is that of the readers of its name whose generations are live. */
  async health(): Promise<Readonly<Record<string, string>>> {
    const { stuckAfterMs = STUCK_AFTER_MS } = this.#parts;
    const live = this.#live();
    const readers = this.#names.map((wanted) => {
      const states = live.filter(({ name }) => name === wanted).map((state) => readerState(state, stuckAfterMs));
      return [wanted, states.find((state) => state !== 'ready') ?? 'ready'] as const;
    });
    return { ...(await statesOf(this.#parts.database, this.#analytics)), ...Object.fromEntries(readers) };
  }

  /** Their states, and how many messages each has processed. */
  async observe(): Promise<Observation> {
    const counters = Object.fromEntries(this.#names.map((name) => [name, this.#metrics.processed(name)]));
    return { parts: await this.health(), counters };
  }

  async metrics(): Promise<string> {
    const [readers, backups, erasures, verification = ''] = await Promise.all([
      this.#metrics.text(),
      this.#backups.text(),
      this.#erasures.text(),
      this.#verification?.metrics(),
    ]);
    return `${readers}${verification}${backups}${erasures}`;
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
  async stop(): Promise<void> {
    await Promise.all([this.#verification?.stop(), this.#watch.stop()]);
  }
}

function verificationOf(parts: ReadersParts, analytics: AnalyticsStore): VerifyWatch {
  const { log, codec, database, throttle, config, logger } = parts;
  const { verifyEveryMs: everyMs, repeatWindowMs } = config;
  const stores = { log, codec, database, analytics };
  return new VerifyWatch({ ...stores, throttle, everyMs, repeatWindowMs, logger, tell: noteDifference });
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
