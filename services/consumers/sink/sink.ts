import type { AnalyticsWriter } from '../../stores/analytics/analytics-store.ts';
import type { LogReader, PartitionRecords, PollOptions, Position, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Message } from '../../messages/message.ts';
import type { ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { SqlSinkPlans } from '../../stores/profiles/sql-sink-plans.ts';
import { recordAt, type Unprocessable } from '../dead-letters.ts';
import { prepareFor, recordNameOf } from '../decode-batch.ts';
import { type ConsumerOptions, LogConsumer } from '../log-consumer.ts';
import type { BatchReport } from '../reader-metrics.ts';
import type { WithRetry } from '../rejected-batches.ts';
import { Batch, type ClaimedEntry, type InsertBatch } from './batch.ts';
import { Inserter } from './inserter.ts';
import { Joins } from './joins.ts';
import { readEntries } from './read-entries.ts';
import { resume } from './resume.ts';
import { RowChunks } from './row-chunks.ts';
import { rowsOfChange } from './row.ts';
import { type InsertFollower, type TouchedUser, touchedUsers } from './touched.ts';

export interface SinkOptions extends ConsumerOptions {
  readonly plans: SqlSinkPlans;
  readonly analytics: AnalyticsWriter;
  /** About how many rows one insert takes at most. */
  readonly maxRows?: number;
  /** About how many bytes of rows one insert takes at most. */
  readonly maxBytes?: number;
  /** How long after an insert the next one waits for more rows, unless it is full or the log has no more. */
  readonly insertEveryMs?: number;
  /** Called after every insert, for metrics. */
  readonly onInsert?: (report: InsertReport) => void;
  /** Is told of every insert; while it wants to be, few rows wait for half a second only. */
  readonly follower?: InsertFollower;
}

export interface InsertReport extends BatchReport {
  /** Repeats, which `messages` does not include. */
  readonly repeats: number;
}

// ClickHouse recommends about one insert a second. At most twice as many rows and bytes are in memory: those being
// inserted and those being collected.
const INSERT_EVERY_MS = 1_000;
// For a follower: an insert of few rows takes a tenth of a second, and more of them an hour are merged for little.
const INSERT_FEW_EVERY_MS = 500;
const FEW_ROWS = 5_000;
const MAX_ROWS = 50_000;
const MAX_INSERT_BYTES = 16 * 1024 * 1024;

// Small, so that a batch exceeds its limits by little: a record of 500 KB may set 50,000 traits.
const POLL_RECORDS = 5_000;
const POLL_BYTES = 2 * 1024 * 1024;
const IDLE_WAIT_MS = 1_000;
const BUSY_WAIT_MS = 20;
const COMPACT_EVERY_MS = 3_600_000;

/**
 * Copies the log into analytics. A plan of the ranges that an insert covers is stored before it, so that after a crash the
 * same ranges are inserted again, with the same rows. While one insert is under way, the next is collected.
 */
export class Sink extends LogConsumer {
  readonly #options: SinkOptions;
  readonly #maxRows: number;
  readonly #maxBytes: number;
  readonly #insertEveryMs: number;
  readonly #inserter: Inserter;
  readonly #joins: Joins;
  #batch: Batch;
  #inserting: Promise<void> | undefined;
  #insertFailure: { readonly error: unknown } | undefined;
  #insertBegunAt = -Infinity;
  /** Time spent on inserts since the throttle was last called. */
  #insertedMs = 0;
  #compactedAt = -Infinity;

  constructor(options: SinkOptions) {
    super('sink', options, {
      poll: () => this.#pollOptions(),
      handlesEmpty: true,
      isIdle: () => this.#batch.isEmpty && this.#inserting === undefined && this.#insertFailure === undefined,
      throttle: (...worked) => this.#throttle(...worked),
      start: (partitions) => this.#begin(partitions),
      takeSnapshot: (changes) => this.#takeSnapshot(changes),
      skip: (steps) => this.#skip(steps),
      handle: (records, reader) => this.#handle(records, reader),
    });
    const { log, analytics, codec } = options;
    this.#options = options;
    this.#maxRows = options.maxRows ?? MAX_ROWS;
    this.#maxBytes = options.maxBytes ?? MAX_INSERT_BYTES;
    this.#insertEveryMs = options.insertEveryMs ?? INSERT_EVERY_MS;
    this.#batch = this.#newBatch();
    this.#joins = new Joins(options);
    const withRetry: WithRetry = (...call) => this.loop.withRetry(...call);
    this.#inserter = new Inserter({ analytics, log, codec, wanted: () => this.wanted(), withRetry });
  }

  #newBatch(): Batch {
    return new Batch(() => this.#isFollowed);
  }

  get #isFollowed(): boolean {
    return this.#options.follower?.wants() ?? false;
  }

  /** Waits for the insert under way, but not for retries; collected records that are not inserted are dropped. Idempotent. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.#inserting;
  }

  /** Includes the time of inserts, most of the sink's work, which run concurrently with the loop. */
  async #throttle(workedMs: number, signal: AbortSignal, records: number): Promise<void> {
    const insertingMs = this.#insertedMs;
    this.#insertedMs = 0;
    await this.#options.throttle?.(workedMs + insertingMs, signal, records);
  }

  async #begin(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    const { plans, analytics, logger } = this.#options;
    // It may be about to finish a plan that is read next.
    await this.#inserting;
    const last = new Map((await plans.last(partitions)).map((plan) => [nameOf(plan.to), plan]));
    const starts: Position[] = [];
    for (const ingested of await analytics.ingestedUpTo(partitions)) {
      const { start, until, rewindFrom } = resume(last.get(nameOf(ingested)), ingested);
      if (rewindFrom !== undefined) {
        await plans.rewind(rewindFrom, start, await this.#endOf(ingested));
        const lost = { from: String(start.offset), to: String(rewindFrom.offset) };
        logger.warn({ partition: nameOf(ingested), ...lost }, 'analytics has lost a range: inserting it again');
      }
      this.#batch.begin(start, until);
      starts.push(start);
    }
    return starts;
  }

  /** The messages themselves are not in a snapshot. */
  async #takeSnapshot(changes: readonly ProfileChange[]): Promise<void> {
    const chunks = new RowChunks();
    for (const change of changes) chunks.addAll(rowsOfChange(change));
    await this.#options.analytics.insert([], chunks.rows());
    await this.#joins.keepSeen(changes);
  }

  /** As an insert without rows. */
  async #skip(steps: readonly ReaderStep[]): Promise<void> {
    await this.#options.plans.fix(steps, []);
    await this.#inserter.note(steps);
    await this.#options.plans.finish(steps.map(({ to }) => to));
  }

  async #endOf({ topic, partition }: TopicPartition): Promise<bigint> {
    const ends = await this.#options.log.ends([topic]);
    return ends.find((end) => end.partition === partition)?.offset ?? 0n;
  }

  async #handle(records: readonly PartitionRecords[], reader: LogReader): Promise<void> {
    try {
      if (this.#insertFailure !== undefined) throw this.#insertFailure.error;
      if (records.length > 0) await this.#collect(records);
      if (this.#isDue(records.length === 0)) await this.#beginInsert(reader);
      else if (this.#batch.isEmpty && this.#inserting === undefined) await this.#joinAsDecided();
    } catch (error) {
      // Everything is redelivered, from the planned positions, for the partitions that are still assigned to this reader.
      this.#batch = this.#newBatch();
      this.#insertFailure = undefined;
      throw error;
    }
  }

  async #collect(records: readonly PartitionRecords[]): Promise<void> {
    const { codec } = this.#options;
    const [wanted, settled] = [await this.wanted(), await this.settledIn(records)];
    if (this.#batch.isEmpty) this.#batch.wanted = wanted;
    await this.loop.withRetry('read the schemas', () => prepareFor(codec, records));
    await readEntries(codec, records, wanted, (read) => this.#batch.add(read), settled);
  }

  /** While an insert is under way, only a full batch is due: it waits for that insert, and reading stops meanwhile. */
  #isDue(isLogDrained: boolean): boolean {
    if (this.#batch.isEmpty) return false;
    if (this.#batch.rowCount >= this.#maxRows || this.#batch.byteCount >= this.#maxBytes) return true;
    return this.#inserting === undefined && this.#msToNext(isLogDrained ? INSERT_EVERY_MS : this.#insertEveryMs) <= 0;
  }

  /** @param usualMs How long after the last insert the next one is, unless somebody follows: history is in no hurry. */
  #msToNext(usualMs: number): number {
    const isSoon = usualMs <= INSERT_EVERY_MS && this.#batch.rowCount <= FEW_ROWS && this.#isFollowed;
    const everyMs = isSoon ? Math.min(usualMs, INSERT_FEW_EVERY_MS) : usualMs;
    return this.#insertBegunAt + everyMs - performance.now();
  }

  #pollOptions(): PollOptions {
    const toNextMs = Math.min(this.#msToNext(this.#insertEveryMs), INSERT_EVERY_MS);
    const waitMs = this.#batch.isEmpty ? IDLE_WAIT_MS : Math.max(toNextMs, this.#inserting ? BUSY_WAIT_MS : 0);
    const maxRecords = Math.min(POLL_RECORDS, this.#maxRows, this.#options.maxRecords?.() ?? Infinity);
    return { maxRecords, maxBytes: POLL_BYTES, maxWaitMs: Math.ceil(waitMs) };
  }

  async #beginInsert(reader: LogReader): Promise<void> {
    await this.#inserting;
    if (this.#insertFailure !== undefined) throw this.#insertFailure.error;
    const insertBatch = this.#batch.take();
    if (insertBatch === undefined) return;
    this.#insertBegunAt = performance.now();
    const isFirstCopy = await this.loop.withRetry('plan an insert', () => this.#plan(insertBatch));
    this.#inserting = this.#insert(insertBatch, isFirstCopy, reader)
      .catch((error: unknown) => {
        this.#insertFailure = { error };
      })
      .finally(() => {
        this.#inserting = undefined;
      });
  }

  /** Stores the plan of the insert, unless it repeats one. Returns for each claim whether it is of the first copy. */
  #plan({ isRepeat, steps, claimed }: InsertBatch): Promise<readonly boolean[]> {
    const claims = claimed.map(({ claim }) => claim);
    return isRepeat ? this.#options.plans.claim(claims) : this.#options.plans.fix(steps, claims);
  }

  async #insert(insertBatch: InsertBatch, isFirstCopy: readonly boolean[], reader: LogReader): Promise<void> {
    const { steps, unclaimed, claimed, unprocessable } = insertBatch;
    const counted = claimed.filter((_, index) => isFirstCopy[index] === true);
    const refused = await this.#inserter.insert(insertBatch, counted);
    await this.#tell(insertBatch, counted, await this.#join(insertBatch, counted));
    await this.loop.withRetry('note what analytics holds', () => this.#inserter.note(steps));
    const unstored = [...unprocessable, ...refused];
    const deadLetters = await this.deadLetters.append(unstored);
    await this.#release(counted, refused);
    const ends = steps.map(({ to }) => to);
    await this.loop.withRetry('note what is inserted', () => this.#options.plans.finish(ends, unstored.map(recordAt)));
    this.#report({
      messages: unclaimed + counted.length - refused.length,
      repeats: claimed.length - counted.length,
      deadLetters,
      tookMs: Math.round(performance.now() - this.#insertBegunAt),
    });
    await reader.commit(ends);
    await this.#compact();
  }

  #tell({ users }: InsertBatch, counted: readonly ClaimedEntry[], joined: readonly TouchedUser[]): Promise<void> {
    return this.#tellUsers(async () => [...(await touchedUsers(users, messagesOf(counted))), ...joined]);
  }

  async #tellUsers(touched: () => Promise<readonly TouchedUser[]>): Promise<void> {
    const { follower } = this.#options;
    if (follower === undefined) return;
    await this.loop.withRetry('tell what is inserted', () => follower.inserted(touched));
  }

  async #joinAsDecided(): Promise<void> {
    const joined = await this.loop.withRetry('join anonymous ids', () => this.#joins.keepDecided());
    if (joined.length > 0) await this.#tellUsers(() => Promise.resolve(joined));
  }

  async #join({ users, wanted }: InsertBatch, counted: readonly ClaimedEntry[]): Promise<readonly TouchedUser[]> {
    const seen = users.map((read) => read.seen);
    return this.loop.withRetry('join anonymous ids', () => this.#joins.keep(seen, messagesOf(counted), wanted));
  }

  /** Once an hour. If it fails, the ingested ranges take more rows than they need until the next time. */
  async #compact(): Promise<void> {
    const { analytics, logger } = this.#options;
    if (performance.now() < this.#compactedAt + COMPACT_EVERY_MS) return;
    this.#compactedAt = performance.now();
    try {
      await analytics.compactIngested();
    } catch (error) {
      logger.warn({ err: error }, 'cannot compact the ingested ranges of analytics now: next attempt in an hour');
    }
  }

  /** Rejected messages have claimed their ids. A copy that is appended later, when it can be inserted, is no repeat. */
  async #release(counted: readonly ClaimedEntry[], refused: readonly Unprocessable[]): Promise<void> {
    const names = new Set(refused.map(recordNameOf));
    const claims = counted.filter((one) => names.has(recordNameOf(one))).map(({ claim }) => claim);
    if (claims.length === 0) return;
    await this.loop.withRetry('take claims back', () => this.#options.plans.release(claims));
  }

  #report(report: InsertReport): void {
    this.#options.logger.info(report, 'inserted into analytics');
    this.#options.onInsert?.(report);
  }
}

function messagesOf(entries: readonly ClaimedEntry[]): readonly Message[] {
  return entries.map(({ content }) => content.message);
}
