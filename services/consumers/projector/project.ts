import { beginningOf, positionAfter } from '../../event-log/identity.ts';
import type { EventLog, LogReader, PartitionRecords, Position, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Codec } from '../../messages/codec.ts';
import { MESSAGE_TOPICS } from '../../messages/message.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { ProfileStore, ReaderStep } from '../../stores/profiles/profile-store.ts';
import { halves } from '../bisect.ts';
import { DeadLetters, type Unprocessable } from '../dead-letters.ts';
import { decodeBatch, type Decoded, type DecodedBatch } from '../decode-batch.ts';
import { type Throttle, ReaderLoop, type Trouble } from '../reader-loop.ts';
import { Timeouts } from '../timeouts.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { type Folded, foldOf, type Said, saidBy, tallied } from './said.ts';
import { tally } from './tally.ts';

export interface ProjectorOptions {
  readonly log: EventLog;
  readonly store: ProfileStore;
  readonly codec: Codec;
  readonly logger: Logger;
  /** How long the first copy of a message is remembered. */
  readonly repeatWindowMs: number;
  /** Topics of messages that it reads; all of them where left out. */
  readonly topics?: readonly string[];
  /** The group as which it shares partitions with others; `tidemark-projector` where left out. */
  readonly group?: string;
  /** Called after every batch, for metrics. */
  readonly onBatch?: (report: BatchReport) => void;
  readonly throttle?: Throttle;
  /** How many records it may take at once, asked every time: for one that must not read fast. */
  readonly maxRecords?: () => number;
  /** Whose messages alone are folded, those of others being passed over; everybody's where left out. */
  readonly projectId?: string;
  /** Told after a batch of whom more was said in it than a profile keeps. */
  readonly onDropped?: (dropped: readonly DroppedTraits[]) => void;
  /** By `topic/partition`: below it, what cannot be folded was put into the dead letters before. */
  readonly deadLettersFrom?: ReadonlyMap<string, bigint>;
}

export interface BatchReport {
  readonly messages: number;
  readonly deadLetters: number;
  readonly tookMs: number;
}

/** A portion as the store takes it. */
interface Read extends DecodedBatch<Said> {
  /** Where every message counts, whatever the store says: folded already. */
  readonly folded: Folded | undefined;
}

const GROUP = 'tidemark-projector';

// Larger transactions save little (30 bytes of position, one fsync) and keep readers of profiles waiting longer.
const RECORDS_A_TRANSACTION = 4_000;
// So that one portion is read and folded while the one before is written: with a server, both at the same time. Only the
// first of a poll waits for nothing else to be done.
const POLL = { maxRecords: 3 * RECORDS_A_TRANSACTION, maxBytes: 12 * 1024 * 1024, maxWaitMs: 1_000 };

const FORGET_EVERY_MS = 3_600_000;

/** Folds the log into profiles, portion by portion: each with the positions it reaches, in one transaction. */
export class Projector {
  /** Rejects with what no waiting cures; never resolves. */
  readonly failed: Promise<never>;
  readonly #options: ProjectorOptions;
  readonly #loop: ReaderLoop;
  readonly #deadLetters: DeadLetters;
  readonly #stands = new Map<string, Position>();
  /** What a message said that the store took. */
  #taken: ProfileChange | undefined;
  #forgottenAt = Date.now();

  constructor(options: ProjectorOptions) {
    const { log, codec, logger } = options;
    this.#options = options;
    this.#deadLetters = new DeadLetters(log, codec, 'projector', options.deadLettersFrom);
    this.#loop = new ReaderLoop({
      logger,
      poll: () => ({ ...POLL, maxRecords: Math.min(POLL.maxRecords, options.maxRecords?.() ?? Infinity) }),
      throttle: options.throttle,
      openReader: () =>
        log.openReader({
          group: options.group ?? GROUP,
          topics: options.topics ?? MESSAGE_TOPICS,
          start: (partitions) => this.#begin(partitions),
        }),
      handle: (batch, reader) => this.#handle(batch, reader),
    });
    this.failed = this.#loop.failed;
  }

  /** For how long what it repeats has failed; 0 where it is at work. */
  get waitingMs(): number {
    return this.#loop.waitingMs;
  }

  /** What it has been repeating for the longest time, without coming further. */
  get trouble(): Trouble | undefined {
    return this.#loop.trouble;
  }

  start(): void {
    this.#loop.start();
  }

  /** Waits for the batch under way. Idempotent. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #begin(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    const positions = await this.#options.store.positions(partitions);
    for (const partition of partitions) this.#stands.delete(nameOf(partition));
    for (const position of positions) this.#stands.set(nameOf(position), position);
    return positions;
  }

  async #handle(batch: readonly PartitionRecords[], reader: LogReader): Promise<void> {
    const startedAt = performance.now();
    const { logger, onBatch } = this.#options;
    const portions = portionsOf(batch, RECORDS_A_TRANSACTION);
    let [messages, deadLetters] = [0, 0];
    let reading = this.#read(portions[0] ?? []);
    for (const [index, portion] of portions.entries()) {
      const { decoded, unprocessable, folded } = await reading;
      reading = this.#read(portions[index + 1] ?? []);
      // Where writing fails, nobody waits for it any more.
      reading.catch(() => undefined);
      await this.#deadLetter(unprocessable);
      const refused = await this.#write(portion, decoded, folded);
      messages += decoded.length - refused;
      deadLetters += unprocessable.length + refused;
    }
    const report = { messages, deadLetters, tookMs: Math.round(performance.now() - startedAt) };
    logger.info(report, 'profiles written');
    onBatch?.(report);
    await reader.commit(batch.map((partition) => this.#stand(partition)));
    await this.#forgetRepeats();
  }

  async #read(portion: readonly PartitionRecords[]): Promise<Read> {
    const { codec, projectId } = this.#options;
    const read = await this.#loop.withRetry('read the schemas', () => decodeBatch(codec, portion, saidBy));
    const isWanted = ({ content }: Decoded<Said>): boolean => content.change.projectId === projectId;
    const decoded = projectId === undefined ? read.decoded : read.decoded.filter(isWanted);
    const folded = decoded.some(({ claim }) => claim) ? undefined : foldOf(decoded, []);
    return { decoded, unprocessable: read.unprocessable, folded };
  }

  /**
   * Returns how many messages the store refused for themselves, or never finished: found by halving, put aside, and passed.
   * Of two halves each is a part.
   */
  async #write(
    batch: readonly PartitionRecords[],
    decoded: readonly Decoded<Said>[],
    folded?: Folded,
    isPart = false,
  ): Promise<number> {
    const steps = batch.map((partition) => this.#step(partition));
    const timeouts = new Timeouts(decoded.length, isPart);
    try {
      await this.#loop.withRetry('write profiles', () => this.#writeUnlessToBlame(steps, decoded, folded, timeouts));
      return 0;
    } catch (error) {
      if (!hasCode(error, 'STORE_REJECTED') || decoded.length === 0) throw error;
      const [only, another] = decoded;
      if (only && !another) {
        await this.#deadLetter([{ ...only, error }]);
        return 1 + (await this.#write(batch, []));
      }
      let refused = 0;
      for (const half of halves(batch, decoded))
        refused += await this.#write(half.batch, half.decoded, undefined, true);
      return refused;
    }
  }

  /**
   * Of a single message that is refused, makes sure that the store takes what it took before: else it is not to blame. Of
   * messages that time out again and again, that the store takes made-up ones in their place: one that it took before may
   * be of the very user whose profile has become slow, and after a start there is none.
   */
  async #writeUnlessToBlame(
    steps: readonly ReaderStep[],
    decoded: readonly Decoded<Said>[],
    folded: Folded | undefined,
    timeouts: Timeouts,
  ): Promise<void> {
    try {
      await this.#writeSteps(steps, decoded, folded);
      const [some] = decoded;
      if (some !== undefined) this.#taken = some.content.change;
    } catch (error) {
      const rejection = timeouts.rejection(error);
      if (rejection !== undefined)
        await this.#unlessRefused('a made-up profile', () => this.#options.store.probe(steps));
      else if (hasCode(error, 'STORE_REJECTED') && decoded.length === 1) await this.#checkStore();
      throw rejection ?? error;
    }
  }

  /** Merging once more changes nothing. */
  async #checkStore(): Promise<void> {
    const taken = this.#taken;
    if (taken === undefined) return;
    await this.#unlessRefused('a profile that it took before', () => this.#options.store.write([], [], () => [taken]));
  }

  async #unlessRefused(what: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      if (!hasCode(cause, 'STORE_REJECTED')) throw cause;
      throw new TidemarkError('STORE_UNAVAILABLE', `the database refuses ${what}`, { cause });
    }
  }

  async #writeSteps(
    steps: readonly ReaderStep[],
    decoded: readonly Decoded<Said>[],
    folded: Folded | undefined,
  ): Promise<void> {
    const claims = decoded.flatMap(({ claim }) => claim ?? []);
    let dropped: readonly DroppedTraits[] = [];
    await this.#options.store.write(
      steps,
      claims,
      (counts) => {
        const result = folded ?? foldOf(decoded, counts);
        ({ dropped } = result);
        return result.changes;
      },
      (counts) => tally(tallied(decoded, counts)),
    );
    if (dropped.length > 0) this.#options.onDropped?.(dropped);
    for (const { to } of steps) this.#stands.set(nameOf(to), to);
  }

  async #deadLetter(unprocessable: readonly Unprocessable[]): Promise<void> {
    for (const { topic, partition, record, error } of unprocessable) {
      const place = { topic, partition, offset: record.offset.toString() };
      this.#options.logger.error({ ...place, err: error }, 'a message goes to the dead letters');
    }
    await this.#loop.withRetry('write dead letters', () => this.#deadLetters.append(unprocessable));
  }

  async #forgetRepeats(): Promise<void> {
    const { store, repeatWindowMs, logger } = this.#options;
    if (Date.now() - this.#forgottenAt < FORGET_EVERY_MS) return;
    this.#forgottenAt = Date.now();
    const forgotten = await store.forgetRepeats(repeatWindowMs);
    if (forgotten > 0) logger.info({ forgotten }, 'message ids older than the window forgotten');
  }

  #step(records: PartitionRecords): ReaderStep {
    const last = records.records.at(-1);
    const from = this.#stand(records);
    return { from, to: last ? positionAfter(records, last) : from };
  }

  #stand(partition: TopicPartition): Position {
    return this.#stands.get(nameOf(partition)) ?? beginningOf(partition);
  }
}

/** Cuts a batch into portions of at most so many records, each partition's in order. */
function portionsOf(batch: readonly PartitionRecords[], most: number): readonly (readonly PartitionRecords[])[] {
  const portions: PartitionRecords[][] = [];
  let room = 0;
  for (const { topic, partition, records } of batch) {
    for (let from = 0; from < records.length;) {
      if (room === 0) {
        portions.push([]);
        room = most;
      }
      const taken = records.slice(from, from + room);
      portions.at(-1)?.push({ topic, partition, records: taken });
      from += taken.length;
      room -= taken.length;
    }
  }
  return portions;
}
