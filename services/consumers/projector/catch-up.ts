import type { LogReader, PartitionRecords, PollOptions, Position, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { SqlProfileStore } from '../../stores/profiles/sql-profile-store.ts';
import { userName, EVERYBODY } from '../../stores/erasures/erased-users.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import type { Unprocessable } from '../dead-letters.ts';
import { type DecodedBatch, recordCountOf } from '../decode-batch.ts';
import type { BatchReport } from '../reader-metrics.ts';
import { expectAccepted, type WithRetry, writeOrReject } from '../rejected-batches.ts';
import type { Contribution } from './contribution.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import { LargeBatch, type LargeBatchLimits } from './large-batch.ts';

export interface CatchUpParts {
  readonly store: SqlProfileStore;
  readonly limits: LargeBatchLimits | undefined;
  readonly withRetry: WithRetry;
  readonly decode: (batch: readonly PartitionRecords[]) => Promise<DecodedBatch<Contribution>>;
  /** Returns how many have an error. */
  readonly toDeadLetters: (unprocessable: readonly Unprocessable[]) => Promise<number>;
  /** Undefined where every message is. */
  readonly wanted: () => Promise<WantedMessages | undefined>;
  readonly positionOf: (partition: TopicPartition) => Position;
  /** How much of a limit the next transaction may have. */
  readonly share: (limit: number) => number;
  /** Called after each transaction with its changes. */
  readonly onAccepted: (changes: readonly ProfileChange[], tookMs: number) => Promise<void>;
  /** Called once a batch is written and the positions have moved. */
  readonly onWritten: (written: WrittenBatch, reader: LogReader) => Promise<void>;
}

export interface WrittenBatch extends BatchReport {
  readonly steps: readonly ReaderStep[];
  readonly dropped: readonly DroppedTraits[];
}

/** It has caught up once every group of partitions has at most this number of records waiting. */
const FEW_RECORDS = 12_000;

// While another partition's records are read ahead, those of the wanted one arrive within milliseconds.
const WAIT_MS = 50;

// New messages never stop. A partition counts as drained after FEW_FOR_MS of polls below FEW_A_POLL.
const FEW_A_POLL = 1_000;
const FEW_FOR_MS = 200;

/**
 * How the projector reads while much waits: the partitions of one number at a time, in batches so large that most users of
 * it come several times, folded to one change of each. The changes are written in transactions of their own, and the last
 * one moves the positions. Merging is idempotent: after a crash the same messages are read and merged again. While one batch
 * is written, the next is gathered.
 */
export class CatchUp {
  readonly #parts: CatchUpParts;
  /** The partitions by their number; undefined while it is not catching up. */
  #groups: readonly (readonly TopicPartition[])[] | undefined;
  #turn = 0;
  #fewInARow = 0;
  /** Since when every poll of the turn found few. */
  #fewSince: number | undefined;
  #gathered: LargeBatch;
  #writing: { readonly large: LargeBatch; readonly done: Promise<void> } | undefined;
  #failure: { readonly error: unknown; readonly large: LargeBatch } | undefined;
  #writtenMs = 0;
  /** By partition: up to here the messages are written as they are at the head of the log, in transactions that can be cut in half. */
  readonly #carefulUpTo = new Map<string, bigint>();
  #isStopped = false;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
    this.#gathered = new LargeBatch(parts.limits);
  }

  get isActive(): boolean {
    return this.#groups !== undefined;
  }

  get isIdle(): boolean {
    return this.#gathered.records === 0 && this.#writing === undefined && this.#failure === undefined;
  }

  /** What `options` become while it is active. */
  pollOptions(options: PollOptions): PollOptions {
    return this.#groups === undefined ? options : { ...options, maxWaitMs: WAIT_MS, of: this.#groups[this.#turn] };
  }

  /** Begins with the partition of which this batch has most, unless that one is to be written with care. */
  begin(batch: readonly PartitionRecords[], assigned: readonly TopicPartition[]): void {
    const [most] = batch.toSorted((a, b) => b.records.length - a.records.length);
    const groups = [...Map.groupBy(assigned, ({ partition }) => partition).values()];
    const turn = groups.findIndex((group) => group.some(({ partition }) => partition === most?.partition));
    if (turn === -1 || assigned.some((partition) => this.#isCareful(partition))) return;
    this.#groups = groups;
    this.#turn = turn;
    this.#fewInARow = 0;
    this.#fewSince = undefined;
    this.#gathered = new LargeBatch(this.#parts.limits);
  }

  /** Ends the catching up; what was gathered is to be read again. Waits for what is being written. */
  async reset(): Promise<void> {
    await this.#writing?.done;
    this.#end();
  }

  /** Nothing is written after the transaction under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#writing?.done;
  }

  /** Milliseconds spent on writing since the last call. */
  takeWrittenMs(): number {
    const ms = this.#writtenMs;
    this.#writtenMs = 0;
    return ms;
  }

  /**
   * @param batch Empty if nothing is in the partitions that were asked for.
   * @param maxRecords How many were asked for.
   */
  async handle(batch: readonly PartitionRecords[], reader: LogReader, maxRecords: number): Promise<void> {
    try {
      this.#throwFailure();
      if (batch.length > 0) await this.#gather(batch);
      const isDrained = this.#isDrained(recordCountOf(batch), maxRecords);
      if (isDrained || this.#gathered.isFull) await this.#flush(reader, isDrained);
    } catch (error) {
      const large = this.#failure?.large;
      this.#end();
      if (large === undefined || !hasCode(error, 'STORE_REJECTED')) throw error;
      for (const { to } of large.steps) this.#carefulUpTo.set(nameOf(to), to.offset);
      reader.restart();
    }
  }

  #isDrained(records: number, maxRecords: number): boolean {
    if (records >= Math.min(FEW_A_POLL, maxRecords)) this.#fewSince = undefined;
    else this.#fewSince ??= performance.now();
    return records === 0 || (this.#fewSince !== undefined && performance.now() - this.#fewSince >= FEW_FOR_MS);
  }

  #end(): void {
    this.#groups = undefined;
    this.#gathered = new LargeBatch(this.#parts.limits);
    this.#failure = undefined;
  }

  #isCareful(partition: TopicPartition): boolean {
    return this.#parts.positionOf(partition).offset < (this.#carefulUpTo.get(nameOf(partition)) ?? 0n);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #gather(batch: readonly PartitionRecords[]): Promise<void> {
    const { store, withRetry, decode, positionOf, wanted } = this.#parts;
    if (this.#gathered.records === 0) this.#gathered.wanted = await wanted();
    const decoded = await decode(batch);
    const claims = decoded.decoded.flatMap(({ claim }) => claim ?? []);
    // What it claims may be stored only after the question.
    const writing = this.#writing?.large;
    const areRepeats = claims.length === 0 ? [] : await withRetry('look for repeats', () => store.areRepeats(claims));
    const areKnown = claims.map((claim, index) => areRepeats[index] === true || writing?.hasCopyOf(claim) === true);
    const from = (partition: TopicPartition): Position =>
      this.#writing?.large.endIn(partition) ?? positionOf(partition);
    this.#gathered.add(batch, decoded, from, areKnown);
  }

  async #flush(reader: LogReader, isDrained: boolean): Promise<void> {
    const groups = this.#groups ?? [];
    const { records } = this.#gathered;
    this.#fewSince = undefined;
    if (records > 0) await this.#beginWriting(reader);
    this.#fewInARow = isDrained && records < FEW_RECORDS ? this.#fewInARow + 1 : 0;
    if (this.#fewInARow < groups.length) {
      this.#turn = (this.#turn + 1) % groups.length;
      return;
    }
    await this.#writing?.done;
    this.#throwFailure();
    this.#groups = undefined;
  }

  async #beginWriting(reader: LogReader): Promise<void> {
    await this.#writing?.done;
    this.#throwFailure();
    const large = this.#gathered;
    this.#gathered = new LargeBatch(this.#parts.limits);
    this.#writing = { large, done: this.#writeInBackground(large, reader) };
  }

  async #writeInBackground(large: LargeBatch, reader: LogReader): Promise<void> {
    const startedAt = performance.now();
    try {
      const deadLetters = await this.#write(large);
      const tookMs = Math.round(performance.now() - startedAt);
      const { steps, dropped, messages } = large;
      await this.#parts.onWritten({ steps, dropped, messages, deadLetters, tookMs }, reader);
    } catch (error) {
      this.#failure = { error, large };
    } finally {
      this.#writtenMs += performance.now() - startedAt;
      this.#writing = undefined;
    }
  }

  /** Returns how many messages could not be processed. */
  async #write(large: LargeBatch): Promise<number> {
    const { store, withRetry, toDeadLetters, onAccepted, wanted, share } = this.#parts;
    const { steps, claims, unprocessable } = large;
    await withRetry('write profiles', () => store.noteAhead(steps));
    for (const slice of large.slices(share)) {
      if (this.#isStopped) throw new TidemarkError('STOPPING', 'the projector is stopping');
      let begunAt = performance.now();
      await this.#orReject(large, slice.length, async () => {
        expectWanted(slice, large, await wanted());
        begunAt = performance.now();
        await store.merge(slice);
      });
      await onAccepted(slice, performance.now() - begunAt);
    }
    const deadLetters = await toDeadLetters(unprocessable);
    await this.#orReject(large, claims.length, async () => {
      const now = await wanted();
      const counts = large.counts().filter(({ projectId }) => now?.hasProject(projectId) !== false);
      await store.write(
        steps,
        claims,
        (isFirstCopy) => {
          expectSame(isFirstCopy, large.isFirstCopy);
          return [];
        },
        () => counts,
      );
    });
    return deadLetters;
  }

  /** @throws TidemarkError `STORE_REJECTED`: the messages of this batch are then to be written with care. */
  #orReject({ steps }: LargeBatch, messages: number, write: () => Promise<void>): Promise<void> {
    const { store, withRetry } = this.#parts;
    return writeOrReject({
      what: 'write profiles',
      withRetry,
      messages,
      isPart: false,
      write,
      checkStore: async (reason) => {
        if (reason === 'timed out') {
          await expectAccepted('the database refuses a made-up profile', () => store.probe(steps));
        }
      },
    });
  }
}

/** Claims that were known when the batch was read may have been forgotten since: then it is read again. */
function expectSame(isFirstCopy: readonly boolean[], expected: readonly boolean[]): void {
  if (isFirstCopy.every((isFirst, index) => isFirst === expected[index])) return;
  throw new TidemarkError('POSITION_MOVED', 'other copies of messages count than when they were read');
}

/**
 * @throws TidemarkError `POSITION_MOVED` where somebody of these was forgotten, or a project of them deleted, while the write
 *   waited: the erasure may be over. A change does not tell which messages it is of, so they are read again.
 */
function expectWanted(changes: readonly ProfileChange[], { wanted: before }: LargeBatch, now?: WantedMessages): void {
  const erased = now?.forgottenSince(before) ?? [];
  if (erased.length === 0) return;
  const names = new Set(erased.map(({ projectId, userKey }) => userName(projectId, userKey)));
  const isErased = ({ projectId, userKey }: ProfileChange): boolean =>
    [userKey, EVERYBODY].some((whom) => names.has(userName(projectId, whom)));
  if (changes.some(isErased))
    throw new TidemarkError('POSITION_MOVED', 'somebody was forgotten since these messages were read');
}
