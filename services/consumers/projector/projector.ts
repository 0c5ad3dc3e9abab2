import { beginningOf, positionAfter } from '../../event-log/identity.ts';
import type { LogReader, PartitionRecords, PollOptions, Position, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { ReaderStep } from '../../stores/profiles/profile-store.ts';
import { offsetsIn, type Unprocessable } from '../dead-letters.ts';
import { decodeBatch, type Decoded, type DecodedBatch, recordCountOf } from '../decode-batch.ts';
import { type ConsumerOptions, LogConsumer } from '../log-consumer.ts';
import type { BatchReport } from '../reader-metrics.ts';
import { bisectRejected, expectAccepted, writeOrReject } from '../rejected-batches.ts';
import type { LargeBatchLimits } from './large-batch.ts';
import { CatchUp, type CatchUpParts, type WrittenBatch } from './catch-up.ts';
import { Overtaking } from './overtaking.ts';
import { fold } from './fold.ts';
import { type Folded, foldOf, type Contribution, contributionOf, appliedMessages, wantedOf } from './contribution.ts';
import { type DecodedPart, FittingShare, MOST_IN_A_PART, splitBySize, splitInHalf } from './split-batch.ts';
import { countApplied } from './applied-counts.ts';

export interface ProjectorOptions extends ConsumerOptions, Pick<CatchUpParts, 'store'> {
  /** How long the first copy of a message is remembered. */
  readonly repeatWindowMs: number;
  /** While it catches up. */
  readonly largeBatches?: LargeBatchLimits;
  /** Whether messages of other projects pass those of one whose merges are slow; asked again and again; true by default. */
  readonly mayOvertake?: () => boolean;
  /** Called after every batch, for metrics. */
  readonly onBatch?: (report: BatchReport) => void;
  /** Called after a batch with the users who had more traits than a profile keeps. */
  readonly onDropped?: (dropped: readonly DroppedTraits[]) => void;
}

/** The records of one transaction, decoded. */
interface Read extends DecodedBatch<Contribution> {
  readonly part: readonly PartitionRecords[];
  /** Folded in advance, if no message needs the store to tell whether it is the first copy. */
  readonly folded: Folded | undefined;
}

/** What one transaction writes. */
interface ProjectedPart extends DecodedPart<Contribution> {
  /** Messages of this part, and of the parts that it was cut from, that cannot be stored. */
  readonly unstored: readonly Unprocessable[];
  readonly folded?: Folded | undefined;
}

// Several transactions a poll, so that the next is decoded and folded while one is written: with a server, both at the same
// time. Only the first of a poll is decoded while nothing is written.
const POLL = { maxRecords: 3 * MOST_IN_A_PART.records, maxBytes: 12 * 1024 * 1024, maxWaitMs: 1_000 };

const FORGET_EVERY_MS = 3_600_000;

/** Folds the log into profiles. Each transaction also writes the positions that it reaches. */
export class Projector extends LogConsumer {
  readonly #options: ProjectorOptions;
  readonly #catchUp: CatchUp;
  readonly #overtaking: Overtaking;
  readonly #share = new FittingShare();
  readonly #positions = new Map<string, Position>();
  /** A change that the store accepted. */
  #accepted: ProfileChange | undefined;
  #assigned: readonly TopicPartition[] = [];
  #isStopping = false;
  #forgottenAt = performance.now();
  /** When the log stored the newest record that was read at the head of the log. */
  #readAtMs = 0;

  constructor(options: ProjectorOptions) {
    super('projector', options, {
      poll: () => this.#catchUp.pollOptions(this.#livePoll()),
      // While it catches up, for the end of what waits in a partition.
      handlesEmpty: true,
      isIdle: () => this.#catchUp.isIdle,
      throttle: (...worked) => this.#throttle(...worked),
      start: (partitions) => this.#begin(partitions),
      takeSnapshot: (changes) => options.store.merge(fold(changes)),
      skip: (steps) => options.store.write(steps, [], () => []),
      handle: (batch, reader) => this.#handle(batch, reader),
    });
    this.#options = options;
    this.#overtaking = new Overtaking({
      ...options,
      wanted: () => this.wanted(),
      settledIn: (read) => this.settledIn(read),
      positionOf: (partition) => this.#positionOf(partition),
    });
    this.#catchUp = new CatchUp({
      store: options.store,
      limits: options.largeBatches,
      withRetry: (...call) => this.loop.withRetry(...call),
      decode: (batch) => this.#decode(batch),
      toDeadLetters: (unprocessable) => this.deadLetters.append(unprocessable),
      wanted: () => this.wanted(),
      positionOf: (partition) => this.#positionOf(partition),
      share: (limit) => this.#share.of(limit),
      onAccepted: async (changes, tookMs) => {
        this.#noteWritten(changes, tookMs);
        await this.#letOthersPass();
      },
      onWritten: (...written) => this.#finish(...written),
    });
  }

  /** Waits for the transaction under way, but not for retries. Idempotent. */
  override async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#catchUp.stop(), super.stop()]);
    // The loop may have begun to write after the first wait.
    await this.#catchUp.stop();
  }

  #livePoll(): PollOptions {
    return { ...POLL, maxRecords: Math.min(POLL.maxRecords, this.#options.maxRecords?.() ?? Infinity) };
  }

  /** Includes the time of writing large batches, which is done concurrently with the loop. */
  async #throttle(workedMs: number, signal: AbortSignal, records: number): Promise<void> {
    await this.#options.throttle?.(workedMs + this.#catchUp.takeWrittenMs(), signal, records);
  }

  async #begin(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    // It may be about to move positions that are read next.
    await this.#catchUp.reset();
    this.#overtaking.reset();
    const positions = await this.#options.store.positions(partitions);
    for (const partition of partitions) this.#positions.delete(nameOf(partition));
    for (const position of positions) this.#positions.set(nameOf(position), position);
    return positions;
  }

  async #handle(batch: readonly PartitionRecords[], reader: LogReader): Promise<void> {
    const { maxRecords } = this.#livePoll();
    this.#assigned = reader.assigned();
    if (this.#catchUp.isActive) {
      await this.#catchUp.handle(batch, reader, maxRecords);
      return;
    }
    if (batch.length === 0) return;
    await this.#handleLive(batch, reader);
    if (recordCountOf(batch) >= maxRecords) this.#catchUp.begin(batch, this.#assigned);
  }

  async #handleLive(batch: readonly PartitionRecords[], reader: LogReader): Promise<void> {
    const startedAt = performance.now();
    const parts = splitBySize(batch, () => this.#share.ofPart());
    const readNext = (): Promise<Read> | undefined => {
      const next = parts.next();
      if (next.done === true) return undefined;
      const reading = this.#read(next.value);
      // If writing fails, nothing awaits it.
      reading.catch(() => undefined);
      return reading;
    };
    let [messages, deadLetters] = [0, 0];
    for (let reading = readNext(); reading !== undefined && !this.#isStopping;) {
      const { part, decoded, unprocessable, folded } = await reading;
      reading = readNext();
      deadLetters += await this.deadLetters.append(unprocessable);
      const rejected = await this.#write({ batch: part, decoded, folded, unstored: unprocessable });
      messages += decoded.length - rejected;
      deadLetters += rejected;
      await this.#letOthersPass();
    }
    for (const { records } of batch) this.#readAtMs = Math.max(this.#readAtMs, records.at(-1)?.appendedAtMs ?? 0);
    const report = { messages, deadLetters, tookMs: Math.round(performance.now() - startedAt) };
    const ends = batch.map((partition) => this.#positionOf(partition));
    await this.#report(report, ends, reader);
  }

  async #finish({ steps, dropped, ...report }: WrittenBatch, reader: LogReader): Promise<void> {
    if (dropped.length > 0) this.#options.onDropped?.(dropped);
    const ends = steps.map(({ to }) => to);
    for (const end of ends) this.#positions.set(nameOf(end), end);
    await this.#report(report, ends, reader);
  }

  async #report(report: BatchReport, ends: readonly Position[], reader: LogReader): Promise<void> {
    this.#options.logger.info(report, 'profiles written');
    this.#options.onBatch?.(report);
    await reader.commit(ends);
    await this.#forgetRepeats();
  }

  async #read(part: readonly PartitionRecords[]): Promise<Read> {
    const read = await this.#decode(part);
    const folded = read.decoded.some(({ claim }) => claim) ? undefined : foldOf(read.decoded, []);
    return { ...read, part, folded };
  }

  /** Without the messages that are not wanted. */
  async #decode(batch: readonly PartitionRecords[]): Promise<DecodedBatch<Contribution>> {
    const { codec } = this.#options;
    const wanted = await this.wanted();
    const settled = await this.settledIn(batch);
    const read = await this.loop.withRetry('read the schemas', () =>
      decodeBatch(codec, batch, contributionOf, settled),
    );
    return { ...read, decoded: wantedOf(read.decoded, wanted) };
  }

  /** Writes all but the messages that are rejected or never finished, and returns how many went to the dead letters. */
  async #write(part: ProjectedPart): Promise<number> {
    const rejected = await bisectRejected<ProjectedPart, Unprocessable>(part, {
      write: (some, isPart) => this.#writePart(some, isPart),
      halvesOf: ({ unstored, ...some }) =>
        some.decoded.length > 1 ? splitInHalf(some).map((half) => ({ ...half, unstored })) : undefined,
      reject: async ({ batch, decoded: [only], unstored }, error) => {
        if (only === undefined) throw error;
        await this.deadLetters.append([{ ...only, error }]);
        await this.#writePart({ batch, decoded: [], unstored: [...unstored, { ...only, error }] }, false);
        return { ...only, error };
      },
    });
    return rejected.length;
  }

  async #writePart({ batch, decoded, folded, unstored }: ProjectedPart, isPart: boolean): Promise<void> {
    const steps = batch.map((partition) => this.#step(partition, unstored));
    await writeOrReject({
      what: 'write profiles',
      withRetry: (...call) => this.loop.withRetry(...call),
      messages: decoded.length,
      isPart,
      write: async () => {
        // What was deleted while the write of it waited is left out: its erasure may be over.
        const kept = wantedOf(decoded, await this.wanted());
        await this.#writeSteps(steps, kept, kept.length === decoded.length ? folded : undefined);
      },
      checkStore: async (reason) => {
        // A change that was accepted before may be of the very user whose profile has become slow, and after a start there is
        // none: so made-up profiles are written in place of the messages'.
        if (reason === 'timed out')
          await expectAccepted('the database refuses a made-up profile', () => this.#options.store.probe(steps));
        else if (decoded.length === 1) await this.#expectAcceptedBefore();
      },
    });
  }

  /** Checks that the store takes what it took before. Merging a change again changes nothing. */
  async #expectAcceptedBefore(): Promise<void> {
    const accepted = this.#accepted;
    if (accepted === undefined) return;
    await expectAccepted('the database refuses a profile that it took before', () =>
      this.#options.store.write([], [], () => [accepted]),
    );
  }

  async #writeSteps(
    steps: readonly ReaderStep[],
    decoded: readonly Decoded<Contribution>[],
    folded: Folded | undefined,
  ): Promise<void> {
    const claims = decoded.flatMap(({ claim }) => claim ?? []);
    let [dropped, changes]: [readonly DroppedTraits[], readonly ProfileChange[]] = [[], []];
    const startedAt = performance.now();
    await this.#options.store.write(
      steps,
      claims,
      (isFirstCopy) => {
        const result = folded ?? foldOf(decoded, isFirstCopy);
        ({ dropped, changes } = result);
        return changes;
      },
      (isFirstCopy) => countApplied(appliedMessages(decoded, isFirstCopy)),
    );
    this.#noteWritten(changes, performance.now() - startedAt);
    if (dropped.length > 0) this.#options.onDropped?.(dropped);
    for (const { to } of steps) this.#positions.set(nameOf(to), to);
  }

  #noteWritten(changes: readonly ProfileChange[], tookMs: number): void {
    // Not that of a message: it may be a repeat, which was not merged.
    this.#accepted = changes[0] ?? this.#accepted;
    this.#share.note(tookMs);
    this.#overtaking.note(changes, tookMs);
  }

  async #letOthersPass(): Promise<void> {
    if (this.#options.mayOvertake?.() !== false) await this.#overtaking.pass(this.#assigned);
  }

  async #forgetRepeats(): Promise<void> {
    const { store, repeatWindowMs, logger } = this.#options;
    if (performance.now() - this.#forgottenAt < FORGET_EVERY_MS) return;
    this.#forgottenAt = performance.now();
    const forgotten = await store.forgetRepeats(repeatWindowMs, this.#readAtMs);
    if (forgotten > 0) logger.info({ forgotten }, 'message ids older than the window forgotten');
  }

  #step(records: PartitionRecords, unstored: readonly Unprocessable[]): ReaderStep {
    const last = records.records.at(-1);
    const from = this.#positionOf(records);
    return { from, to: last ? positionAfter(records, last) : from, unstored: offsetsIn(records, unstored) };
  }

  #positionOf(partition: TopicPartition): Position {
    return this.#positions.get(nameOf(partition)) ?? beginningOf(partition);
  }
}
