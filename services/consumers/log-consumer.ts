import { beginningOf } from '../event-log/identity.ts';
import { countOf, wholeRanges } from '../event-log/deleted-records.ts';
import type {
  EventLog,
  LogCoordinates,
  LogReader,
  PartitionRecords,
  Position,
  TopicPartition,
} from '../event-log/event-log.ts';
import { isAmong, least, nameOf } from '../event-log/partition.ts';
import type { Codec } from '../messages/codec.ts';
import { MESSAGE_TOPICS } from '../messages/message.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ProfileChange } from '../stores/profiles/profile.ts';
import type { ReaderName, ReaderStep } from '../stores/profiles/profile-store.ts';
import type { SettledOffsets, SqlDeadLetterHistory } from '../stores/profiles/unstored-messages.ts';
import type { ErasedUsers } from '../stores/erasures/erased-users.ts';
import type { EventCuts } from '../stores/projects/kept-events.ts';
import { DeadLetters } from './dead-letters.ts';
import { ReaderLoop, type ReaderLoopOptions, type Trouble } from './reader-loop.ts';
import type { Throttle } from './throttle/throttle.ts';
import { firstRecordIn, numbersOf, takeSnapshots } from './snapshots.ts';
import { WantedMessages } from './wanted-messages.ts';

/** The options that projector and sink have in common. */
export interface ConsumerOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  /** Topics of messages to read; all of them by default. */
  readonly topics?: readonly string[];
  /** The group that shares the partitions; `tidemark-projector` or `tidemark-sink` by default. */
  readonly group?: string;
  readonly throttle?: Throttle;
  /** How many records one poll may return, asked before each: for a consumer whose rate is limited. */
  readonly maxRecords?: () => number;
  /** The only project whose messages are processed, those of others being skipped; every project by default. */
  readonly projectId?: string;
  /**
   * The projects that were deleted and the people who were forgotten, whose messages are skipped; nobody by default. Asked
   * before each batch, and each attempt to write it.
   */
  readonly leftOut?: () => Promise<ErasedUsers>;
  /** The events that projects no longer keep, of which no rows are written; none by default. */
  readonly eventsFrom?: () => Promise<EventCuts>;
  /** Tells what was decided about earlier dead letters; nothing by default. */
  readonly deadLetterHistory?: SqlDeadLetterHistory;
}

/** What one consumer does in its own way. */
export interface ConsumerSteps extends Pick<
  ReaderLoopOptions,
  'poll' | 'handle' | 'handlesEmpty' | 'isIdle' | 'throttle'
> {
  /** Where to start reading each of these partitions. */
  readonly start: (partitions: readonly TopicPartition[]) => Promise<readonly Position[]>;
  /** Writes what messages came to that are deleted from the log. Moves no position, and may be repeated. */
  readonly takeSnapshot: (changes: readonly ProfileChange[]) => Promise<void>;
  /** Moves positions past records that are deleted. */
  readonly skip: (steps: readonly ReaderStep[]) => Promise<void>;
}

/** In place of the identity of a record that was deleted before it was read: nothing is compared with it. */
const DELETED = 'deleted';

/** A consumer of the log: its loop, its dead letters, and its state. */
export abstract class LogConsumer {
  /** Rejects with a permanent failure; never resolves. */
  readonly failed: Promise<never>;
  protected readonly loop: ReaderLoop;
  protected readonly deadLetters: DeadLetters;
  readonly #options: ConsumerOptions;

  constructor(reader: ReaderName, options: ConsumerOptions, { start, takeSnapshot, skip, ...steps }: ConsumerSteps) {
    const { log, codec, logger, group = `tidemark-${reader}`, topics = MESSAGE_TOPICS } = options;
    this.#options = options;
    this.loop = new ReaderLoop({
      logger,
      throttle: options.throttle,
      ...steps,
      openReader: (): Promise<LogReader> =>
        log.openReader({ group, topics, start: (some) => this.#begin(some, { start, takeSnapshot, skip }) }),
    });
    this.deadLetters = new DeadLetters({
      log,
      codec,
      logger,
      reader,
      history: options.deadLetterHistory,
      withRetry: (...call) => this.loop.withRetry(...call),
    });
    this.failed = this.loop.failed;
  }

  async #begin(
    partitions: readonly TopicPartition[],
    steps: Pick<ConsumerSteps, 'start' | 'takeSnapshot' | 'skip'>,
  ): Promise<readonly Position[]> {
    let positions = await steps.start(partitions);
    const fresh = partitions.filter((one) => !positions.some(({ offset, ...at }) => offset > 0n && isAmong([at], one)));
    if (fresh.length > 0 && (await this.#takeSnapshots(fresh, steps))) positions = await steps.start(partitions);
    await this.#options.deadLetterHistory?.begin();
    return positions;
  }

  /**
   * Before partitions are read for the first time: takes the snapshots that stand for records which were deleted, or which a
   * restored log never had; warns of those that none covers, and moves the positions to where the partitions begin. Returns
   * whether they moved.
   */
  async #takeSnapshots(
    fresh: readonly TopicPartition[],
    { takeSnapshot, skip }: Pick<ConsumerSteps, 'takeSnapshot' | 'skip'>,
  ): Promise<boolean> {
    const { log, logger } = this.#options;
    const topics = [...new Set(fresh.map(({ topic }) => topic))];
    const ever = (await wholeRanges(log, topics)).filter((one) => one.to > 0n && isAmong(fresh, one));
    if (ever.length === 0) return false;
    const { uncovered, covered } = await takeSnapshots(this.#options, numbersOf(ever), await this.wanted(), (changes) =>
      this.loop.withRetry('write a snapshot', () => takeSnapshot(changes)),
    );
    if (countOf(uncovered) > 0) {
      logger.warn({ deleted: uncovered }, 'records were deleted from the log before they were read');
    }
    const behind: LogCoordinates[] = [];
    for (const whole of ever) {
      const { topic, partition, to: end } = whole;
      const upTo = covered.get(nameOf(whole)) ?? 0n;
      const offset = await firstRecordIn(log, { ...whole, to: least(upTo, end) });
      if (offset > 0n) behind.push({ topic, partition, offset });
    }
    if (behind.length === 0) return false;
    await skip(behind.map((one) => ({ from: beginningOf(one), to: { ...one, identity: DELETED } })));
    return true;
  }

  /** What it has been retrying for the longest time without making progress. */
  get trouble(): Trouble | undefined {
    return this.loop.trouble;
  }

  /** The settled dead letters of this reader among these records. */
  protected async settledIn(batch: readonly PartitionRecords[]): Promise<SettledOffsets | undefined> {
    const { deadLetterHistory: history } = this.#options;
    if (history === undefined) return undefined;
    return this.loop.withRetry('read which dead letters are settled', () => history.settledIn(batch));
  }

  /** Undefined where every message is. */
  protected async wanted(): Promise<WantedMessages | undefined> {
    const { projectId, leftOut, eventsFrom } = this.#options;
    const left = leftOut && (await this.loop.withRetry('read what is deleted', leftOut));
    const cuts = eventsFrom && (await this.loop.withRetry('read which events are kept', eventsFrom));
    return WantedMessages.of(left, projectId, cuts);
  }

  start(): void {
    this.loop.start();
  }

  /** Waits for the batch under way, but not for retries. Idempotent. */
  async stop(): Promise<void> {
    await this.loop.stop();
  }
}
