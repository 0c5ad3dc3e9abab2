import { Projector } from '../../consumers/projector/projector.ts';
import type { Trouble } from '../../consumers/reader-loop.ts';
import type { BatchReport, LaneReader, ReaderMetrics } from '../../consumers/reader-metrics.ts';
import { Sink, type SinkOptions } from '../../consumers/sink/sink.ts';
import type { InsertFollower } from '../../consumers/sink/touched.ts';
import { inSequence, rateThrottle, type Throttle } from '../../consumers/throttle/throttle.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { IMPORT_TOPICS, LIVE_TOPICS } from '../../messages/message.ts';
import { followDeadLetters } from '../../operations/dead-letters/follow-dead-letters.ts';
import type { Config } from '../../runtime/config.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { type Generation, groupSuffixOf } from '../../stores/generations/generation.ts';
import { countDropped, DroppedTraitsWarning } from '../../stores/profiles/dropped-traits.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import { SqlProfileStore } from '../../stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../../stores/profiles/sql-sink-plans.ts';
import { SqlDeadLetterHistory } from '../../stores/profiles/unstored-messages.ts';
import { isServer } from '../../runtime/embedded.ts';
import { deletionsOf } from '../../stores/erasures/left-out.ts';

/** Somebody who follows what a generation of analytics holds. @param generation Its number. */
export type AnalyticsFollower = (generation: number) => InsertFollower;

export interface GenerationParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  /** Needed for generations of analytics. */
  readonly analytics: AnalyticsStore | undefined;
  readonly metrics: ReaderMetrics;
  /** Throttles the readers of live messages. */
  readonly throttle: Throttle;
  /** Throttles readers that can wait: of imported messages, and of generations that are not live. */
  readonly throttleForHistory: Throttle;
  /** Is told of the inserts of live and of imported messages; nobody by default. */
  readonly follower?: AnalyticsFollower | undefined;
}

/** A reader and whether it has failed permanently. */
interface RunningReader {
  readonly name: LaneReader;
  readonly reader: Projector | Sink;
  failed: boolean;
}

export interface ReaderState {
  readonly name: LaneReader;
  readonly failed: boolean;
  readonly trouble: Trouble | undefined;
}

/** The readers that feed one generation: one of live messages, one of imported messages. */
export class GenerationReaders {
  /** Rejects with the first permanent failure of a reader; never resolves. The other reader continues. */
  readonly failed: Promise<never>;
  readonly #readers: readonly RunningReader[];
  #generation: Generation;
  #isLive: boolean;

  private constructor(parts: GenerationParts, analytics: AnalyticsStore | undefined, generation: Generation) {
    this.#generation = generation;
    this.#isLive = false;
    const reader = generation.kind === 'profiles' ? 'projector' : 'sink';
    this.#readers = [
      this.#open(parts, analytics, reader, LIVE_TOPICS),
      this.#open(parts, analytics, `import-${reader}`, IMPORT_TOPICS),
    ];
    this.failed = Promise.race(this.#readers.map((running) => noteFailure(running)));
    this.failed.catch(() => undefined);
  }

  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable, also where the generation has no tables yet. */
  static async of(parts: GenerationParts, generation: Generation): Promise<GenerationReaders> {
    const analytics =
      generation.kind === 'analytics' ? await parts.analytics?.ofGeneration(generation.number) : undefined;
    return new GenerationReaders(parts, analytics, generation);
  }

  /** Whether queries are answered from what these readers write. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Whether each reader has failed permanently, and which failing call it is repeating. */
  get states(): readonly ReaderState[] {
    return this.#readers.map(({ name, failed, reader }) => ({ name, failed, trouble: reader.trouble }));
  }

  start(): void {
    for (const { reader } of this.#readers) reader.start();
  }

  /** Takes over the generation's current row: its rate limit may change while it is read, and whether it is live. */
  follow(generation: Generation, isLive: boolean): void {
    this.#generation = generation;
    this.#isLive = isLive;
  }

  /** Waits for the batches under way. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all(this.#readers.map(({ reader }) => reader.stop()));
  }

  #open(
    parts: GenerationParts,
    analytics: AnalyticsStore | undefined,
    name: LaneReader,
    topics: readonly string[],
  ): RunningReader {
    const { log, codec, database, config, metrics, follower } = parts;
    const { kind, number, projectId, asOf } = this.#generation;
    const isImport = topics === IMPORT_TOPICS;
    const common = {
      log,
      codec: codec.takingAsOf(asOf),
      topics,
      group: `tidemark-${kind === 'profiles' ? 'projector' : 'sink'}${isImport ? '-import' : ''}${groupSuffixOf(number)}`,
      logger: parts.logger.child({ reader: name, generation: number }),
      throttle: this.#throttleOf(parts, isImport),
      // One second's worth: at a low rate limit, a full batch would take minutes.
      maxRecords: () => this.#limit ?? Infinity,
      deadLetterHistory: deadLetterHistoryOf(parts, this.#generation),
      ...deletionsOf(database),
      ...(projectId === null ? {} : { projectId }),
    };
    // Metrics count the live generation only.
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
            mayOvertake: () => this.#isLive && !isImport,
            onBatch: observe,
            onDropped,
          })
        : new Sink({
            ...common,
            ...(isImport ? IMPORT_INSERTS : liveInserts(config.analyticsUrl)),
            plans: new SqlSinkPlans(database, number),
            analytics,
            onInsert: observe,
            ...(follower && { follower: follower(number) }),
          });
    return { name, reader, failed: false };
  }

  /** Messages a second; null: unlimited. */
  get #limit(): number | null {
    return this.#isLive ? null : this.#generation.rateLimit;
  }

  #throttleOf({ throttle, throttleForHistory }: GenerationParts, isImport: boolean): Throttle {
    const limited = inSequence(
      rateThrottle(() => this.#limit),
      throttleForHistory,
    );
    const own = isImport ? throttleForHistory : throttle;
    return (...worked) => (this.#isLive ? own : limited)(...worked);
  }
}

/** The table of dead letters is read anew from their topic before a reader begins. */
function deadLetterHistoryOf(parts: GenerationParts, { kind, number }: Generation): SqlDeadLetterHistory {
  return new SqlDeadLetterHistory(parts.database, kind, number, () => followDeadLetters(parts, { again: true }));
}

async function noteFailure(running: RunningReader): Promise<never> {
  try {
    return await running.reader.failed;
  } catch (error) {
    running.failed = true;
    throw error;
  }
}

/** How large a sink's inserts may be and how often they happen; the defaults are those of `SinkOptions`. */
type Inserts = Pick<SinkOptions, 'maxRows' | 'maxBytes' | 'insertEveryMs'>;

const BIG: Inserts = { maxRows: 100_000, maxBytes: 48 * 1024 * 1024 };

/** Fewer and larger than those of live messages: history can wait, and ClickHouse is most efficient with large parts. */
const IMPORT_INSERTS: Inserts = { ...BIG, insertEveryMs: 10_000 };

/**
 * For live messages, where more than a second's worth waits. On a server inserts are larger than those of an import, for a
 * quarter more rows a second; embedded, the process' memory limits them.
 */
export function liveInserts(analyticsUrl: string): Inserts {
  return isServer(analyticsUrl) ? { ...BIG, maxRows: 150_000 } : {};
}
