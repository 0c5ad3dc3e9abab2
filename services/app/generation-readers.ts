import { rateThrottle } from '../consumers/throttle/rate-throttle.ts';
import { Projector } from '../consumers/projector/project.ts';
import type { Throttle, Trouble } from '../consumers/reader-loop.ts';
import type { BatchReport, LaneReader, ReaderMetrics } from '../consumers/reader-metrics.ts';
import { Sink, type SinkOptions } from '../consumers/sink/copy.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { IMPORT_TOPICS, LIVE_TOPICS } from '../messages/message.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import type { Database } from '../stores/database/database.ts';
import { type Generation, groupSuffixOf } from '../stores/generations/generation.ts';
import { countDropped, DroppedTraitsWarning } from '../stores/profiles/dropped-traits.ts';
import type { DroppedTraits } from '../stores/profiles/newest-traits.ts';
import { SqlProfileStore } from '../stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../stores/profiles/sql-sink-plans.ts';
import { isServer } from './role.ts';

/** The readers that feed one generation: one for live messages, one for imported ones. */

export interface GenerationParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  /** Needed for generations of analytics. */
  readonly analytics: AnalyticsStore | undefined;
  readonly metrics: ReaderMetrics;
  /** For whom the readers of live messages make way. */
  readonly throttle: Throttle;
  /** For whom those make way that can wait: imported messages, and generations that do not answer. */
  readonly throttleForLive: Throttle;
}

/** A reader and how it is. */
interface Lane {
  readonly name: LaneReader;
  readonly reader: Projector | Sink;
  failed: boolean;
}

export interface ReaderState {
  readonly name: LaneReader;
  readonly failed: boolean;
  readonly trouble: Trouble | undefined;
}

export class GenerationReaders {
  /** Rejects with the first reader's failure that no waiting cures; never resolves. The other goes on. */
  readonly failed: Promise<never>;
  readonly #lanes: readonly Lane[];
  #generation: Generation;
  #isLive: boolean;

  private constructor(parts: GenerationParts, analytics: AnalyticsStore | undefined, generation: Generation) {
    this.#generation = generation;
    this.#isLive = false;
    const reader = generation.kind === 'profiles' ? 'projector' : 'sink';
    this.#lanes = [
      this.#lane(parts, analytics, reader, LIVE_TOPICS),
      this.#lane(parts, analytics, `import-${reader}`, IMPORT_TOPICS),
    ];
    this.failed = Promise.race(this.#lanes.map((lane) => watch(lane)));
    this.failed.catch(() => undefined);
  }

  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable, also where the generation has no tables yet. */
  static async of(parts: GenerationParts, generation: Generation): Promise<GenerationReaders> {
    const analytics =
      generation.kind === 'analytics' ? await parts.analytics?.ofGeneration(generation.number) : undefined;
    return new GenerationReaders(parts, analytics, generation);
  }

  /** Whether anybody is answered from what these readers write. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Of each of its readers whether it has failed, or for how long it has been repeating what fails. */
  get states(): readonly ReaderState[] {
    return this.#lanes.map(({ name, failed, reader }) => ({ name, failed, trouble: reader.trouble }));
  }

  start(): void {
    for (const { reader } of this.#lanes) reader.start();
  }

  /** What the rows say of it now: a limit and a role may change while it reads. */
  follow(generation: Generation, isLive: boolean): void {
    this.#generation = generation;
    this.#isLive = isLive;
  }

  /** Waits for the batches under way. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all(this.#lanes.map(({ reader }) => reader.stop()));
  }

  #lane(
    parts: GenerationParts,
    analytics: AnalyticsStore | undefined,
    name: LaneReader,
    topics: readonly string[],
  ): Lane {
    const { log, codec, database, config, metrics } = parts;
    const { kind, number, projectId, deadLettersFrom } = this.#generation;
    const isImport = topics === IMPORT_TOPICS;
    const common = {
      log,
      codec,
      topics,
      group: `tidemark-${kind === 'profiles' ? 'projector' : 'sink'}${isImport ? '-import' : ''}${groupSuffixOf(number)}`,
      logger: parts.logger.child({ reader: name, generation: number }),
      throttle: this.#throttleOf(parts, isImport),
      // A second's worth: a full batch may be minutes.
      maxRecords: () => this.#limit ?? Infinity,
      deadLettersFrom,
      ...(projectId === null ? {} : { projectId }),
    };
    // What another generation reads is no work done for anybody yet.
    const observe = (report: BatchReport): void => {
      if (this.#isLive) metrics.observe(name, report);
    };
    const warning = new DroppedTraitsWarning(common.logger);
    const onDropped = (dropped: readonly DroppedTraits[]): void => {
      if (!this.#isLive) return;
      warning.note(dropped);
      metrics.countDropped(countDropped(dropped));
    };
    const reader =
      analytics === undefined
        ? new Projector({
            ...common,
            store: new SqlProfileStore(database, number, { onDropped }),
            repeatWindowMs: config.repeatWindowMs,
            onBatch: observe,
            onDropped,
          })
        : new Sink({
            ...common,
            ...(isImport ? IMPORT_INSERTS : liveInserts(config.analyticsUrl)),
            plans: new SqlSinkPlans(database, number),
            analytics,
            onInsert: observe,
          });
    return { name, reader, failed: false };
  }

  /** Messages a second; null: as many as it can. */
  get #limit(): number | null {
    return this.#isLive ? null : this.#generation.rateLimit;
  }

  #throttleOf({ throttle, throttleForLive }: GenerationParts, isImport: boolean): Throttle {
    const limited = rateThrottle(() => this.#limit, throttleForLive);
    const own = isImport ? throttleForLive : throttle;
    return (...worked) => (this.#isLive ? own : limited)(...worked);
  }
}

async function watch(lane: Lane): Promise<never> {
  try {
    return await lane.reader.failed;
  } catch (error) {
    lane.failed = true;
    throw error;
  }
}

/** How big a sink's inserts may be and how often they come; what is left out is as `SinkOptions` has it. */
type Inserts = Pick<SinkOptions, 'maxRows' | 'maxChars' | 'insertEveryMs'>;

const BIG: Inserts = { maxRows: 100_000, maxChars: 48 * 1024 * 1024 };

/** Fewer and bigger than of live messages: history can wait, and big parts are what ClickHouse likes. */
export const IMPORT_INSERTS: Inserts = { ...BIG, insertEveryMs: 10_000 };

/**
 * Of live messages, once there are more than a second's worth. A server's parts may be bigger than an import's, a quarter
 * more rows a second for it; where all is in one process its memory counts.
 */
export function liveInserts(analyticsUrl: string): Inserts {
  return isServer(analyticsUrl) ? { ...BIG, maxRows: 150_000 } : {};
}
