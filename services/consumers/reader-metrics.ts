import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../stores/database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { GenerationKind } from '../stores/generations/generation.ts';
import { SqlGenerations } from '../stores/generations/sql-generations.ts';
import { MESSAGE_TOPICS } from '../messages/message.ts';
import { progressSoFar } from '../stores/profiles/progress-of.ts';
import type { ReaderName } from '../stores/profiles/profile-store.ts';

const LAGS_WITHIN_MS = 3_000;

/** What a consumer reports of a batch. */
export interface BatchReport {
  readonly messages: number;
  readonly deadLetters: number;
  readonly tookMs: number;
}

/** A reader of a process: of live messages, or of imported ones. */
export type LaneReader = ReaderName | `import-${ReaderName}`;

/** How many messages each reader has not processed yet, and when the log stored the oldest of them: null if it is not known. */
type ReaderLags = Readonly<Record<LaneReader, { readonly messages: number; readonly oldestAtMs: number | null }>>;

interface ReaderMetricsParts {
  readonly log: Pick<EventLog, 'ends'>;
  readonly database: Database;
  readonly lags: (signal: AbortSignal) => Promise<ReaderLags>;
  /** How long a reader has been retrying without success. */
  readonly waitingMs: (reader: LaneReader) => number;
}

/** How fast the readers are and how far behind. No project or user in a label. */
export class ReaderMetrics {
  readonly #registry = new Registry();
  readonly #messages: Counter<'reader'>;
  readonly #processed = new Map<LaneReader, number>();
  readonly #deadLetters: Counter<'reader'>;
  readonly #seconds: Histogram<'reader'>;
  readonly #droppedTraits = new Counter({
    name: 'tidemark_profile_traits_dropped_total',
    help: 'Traits dropped from profiles that had more than they keep, the oldest first',
    registers: [this.#registry],
  });

  constructor(
    { log, database, lags, waitingMs }: ReaderMetricsParts,
    readers: readonly LaneReader[],
    kinds: readonly GenerationKind[],
  ) {
    const common = { labelNames: ['reader'] as const, registers: [this.#registry] };
    this.#messages = new Counter({
      name: 'tidemark_reader_messages_total',
      help: 'Messages that a reader has processed',
      ...common,
    });
    this.#deadLetters = new Counter({
      name: 'tidemark_reader_dead_letters_total',
      help: 'Messages that a reader could not process and put into the dead letters',
      ...common,
    });
    this.#seconds = new Histogram({
      name: 'tidemark_reader_batch_seconds',
      help: 'How long a reader took for a batch',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      ...common,
    });
    this.#registerLag(readers, lags);
    this.#registerWaiting(readers, waitingMs);
    const generations: Gauge<'generation'> = new Gauge({
      name: 'tidemark_generation_lag_messages',
      help: 'Messages on the log that a generation does not hold yet, whether or not it answers',
      labelNames: ['generation'],
      registers: [this.#registry],
      collect: async () => {
        const behind = await generationLags(log, database, kinds).catch(() => undefined);
        if (behind === undefined) return;
        generations.reset();
        for (const [generation, messages] of behind) generations.set({ generation }, messages);
      },
    });
  }

  observe(reader: LaneReader, { messages, deadLetters, tookMs }: BatchReport): void {
    this.#messages.inc({ reader }, messages);
    this.#processed.set(reader, (this.#processed.get(reader) ?? 0) + messages);
    this.#deadLetters.inc({ reader }, deadLetters);
    this.#seconds.observe({ reader }, tookMs / 1000);
  }

  /** How many messages a reader has processed since the process began. */
  processed(reader: LaneReader): number {
    return this.#processed.get(reader) ?? 0;
  }

  countDropped(traits: number): void {
    this.#droppedTraits.inc(traits);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #registerLag(readers: readonly LaneReader[], lags: ReaderMetricsParts['lags']): void {
    let updating: Promise<void> | undefined;
    // Both gauges are collected at once, and show one look.
    const common = {
      labelNames: ['reader'] as const,
      registers: [this.#registry],
      collect: (): Promise<void> => (updating ??= update().finally(() => (updating = undefined))),
    };
    const messages = new Gauge({
      name: 'tidemark_reader_lag_messages',
      help: 'Messages on the log that a reader has not processed yet',
      ...common,
    });
    const seconds = new Gauge({
      name: 'tidemark_reader_lag_seconds',
      help: 'Age of the oldest message on the log that a reader has not processed yet; 0 where it has processed all',
      ...common,
    });
    const update = async (): Promise<void> => {
      // While the log or the store is unavailable the last figures remain: the readers make no progress either.
      const behind = await lags(AbortSignal.timeout(LAGS_WITHIN_MS)).catch(() => undefined);
      if (behind === undefined) return;
      for (const reader of readers) {
        const { messages: unread, oldestAtMs } = behind[reader];
        messages.set({ reader }, unread);
        seconds.set({ reader }, oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1000);
      }
    };
  }

  #registerWaiting(readers: readonly LaneReader[], waitingMs: ReaderMetricsParts['waitingMs']): void {
    const waiting: Gauge<'reader'> = new Gauge({
      name: 'tidemark_reader_waiting_seconds',
      help: 'For how long a reader has been repeating what fails, such as an insert; 0 while it is at work',
      labelNames: ['reader'],
      registers: [this.#registry],
      collect: () => {
        for (const reader of readers) waiting.set({ reader }, waitingMs(reader) / 1000);
      },
    });
  }
}

/** By `profiles-2`: of every generation that is fed. */
async function generationLags(
  log: Pick<EventLog, 'ends'>,
  database: Database,
  kinds: readonly GenerationKind[],
): Promise<readonly (readonly [string, number])[]> {
  const fed = (await new SqlGenerations(database).list()).filter(
    ({ kind, state }) => kinds.includes(kind) && (state === 'building' || state === 'built'),
  );
  const end = sum(await log.ends(MESSAGE_TOPICS));
  return Promise.all(
    fed.map(async ({ kind, number }) => {
      const behind = end - sum(await progressSoFar(database, kind, number));
      return [`${kind}-${number}`, Number(behind)] as const;
    }),
  );
}

function sum(offsets: readonly { readonly offset: bigint }[]): bigint {
  return offsets.reduce((total, { offset }) => total + offset, 0n);
}
