import type {
  LogReader,
  LogRecord,
  PartitionRecords,
  PollOptions,
  Position,
  ReaderOptions,
  TopicPartition,
} from '../event-log.ts';
import { isBlank } from '../blank.ts';
import { identityOf } from '../identity.ts';
import type { LogPartition } from './segments/layout.ts';
import type { SegmentStore } from './segments/segment-store.ts';
import { isAmong, nameOf } from '../partition.ts';
import { replaced } from '../refusals.ts';
import { entryAt } from '../start.ts';
import { takeEvenly } from '../take-evenly.ts';
import { WakeablePause } from '../wakeable-pause.ts';

// How often a waiting reader checks for records that another thread has appended. A check costs about 10 µs.
const APPEND_POLL_MS = 20;

/** How far a partition has been read. */
interface PartitionCursor extends LogPartition {
  next: number;
}

export interface EmbeddedReaderParts {
  readonly store: SegmentStore;
  /** The member of each group that reads: the first that polled. Shared by the readers of a log. */
  readonly owners: Map<string, EmbeddedReader>;
  readonly closed: (reader: EmbeddedReader) => void;
}

export class EmbeddedReader implements LogReader {
  readonly #group: string;
  readonly #store: SegmentStore;
  readonly #owners: Map<string, EmbeddedReader>;
  readonly #closed: (reader: EmbeddedReader) => void;
  readonly #start: ReaderOptions['start'];
  readonly #partitions: readonly LogPartition[];
  /** Undefined until `start` has been called. */
  #cursors: PartitionCursor[] | undefined;
  /** Incremented by whatever makes a pending result of `start` obsolete. */
  #turn = 0;
  #isClosed = false;
  readonly #pause = new WakeablePause();

  constructor({ store, owners, closed }: EmbeddedReaderParts, { group, topics, start }: ReaderOptions) {
    this.#group = group;
    this.#store = store;
    this.#owners = owners;
    this.#closed = closed;
    this.#start = start;
    this.#partitions = store.layout.partitionsOf(topics);
  }

  async poll({ maxRecords, maxBytes, maxWaitMs, of }: PollOptions): Promise<readonly PartitionRecords[]> {
    const deadlineMs = performance.now() + maxWaitMs;
    // A caller that goes on polling after the log was closed must not keep timers and signals from their turn.
    if (this.#isClosed) await this.#pause.wait(Math.min(maxWaitMs, APPEND_POLL_MS));
    while (!this.#isClosed) {
      const cursors = (await this.#ready())?.filter((cursor) => isAmong(of, cursor));
      if (this.#isClosed) break;
      const found = cursors === undefined ? [] : this.#read(cursors, { maxRecords, maxBytes });
      const leftMs = deadlineMs - performance.now();
      if (found.length > 0 || leftMs <= 0) return found;
      await this.#pause.wait(Math.min(leftMs, APPEND_POLL_MS));
    }
    return [];
  }

  /** The stores know how far it has come, and no other tool reads this log. */
  async commit(): Promise<void> {}

  restart(): void {
    this.#cursors = undefined;
    this.#turn++;
  }

  assigned(): readonly TopicPartition[] {
    return this.#isOwner ? this.#partitions.map(({ topic, partition }) => ({ topic, partition })) : [];
  }

  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isOwner) this.#owners.delete(this.#group);
    this.restart();
    this.wake();
    this.#closed(this);
    return Promise.resolve();
  }

  /** Ends the wait of a poll: there may be something to read. */
  wake(): void {
    this.#pause.wake();
  }

  get #isOwner(): boolean {
    return this.#owners.get(this.#group) === this;
  }

  /** Where to read; undefined while another member of the group reads, and after a restart meanwhile. */
  async #ready(): Promise<readonly PartitionCursor[] | undefined> {
    if (!this.#owners.has(this.#group)) this.#owners.set(this.#group, this);
    if (!this.#isOwner) return undefined;
    const known = this.#cursors;
    if (known !== undefined) return known;
    const turn = this.#turn;
    const positions = await this.#start(this.assigned());
    // Restarted or closed meanwhile.
    if (turn !== this.#turn) return undefined;
    this.#cursors = this.#cursorsOf(positions);
    return this.#cursors;
  }

  #cursorsOf(positions: readonly Position[]): PartitionCursor[] {
    const topics = new Set(this.#partitions.map(({ topic }) => topic));
    return this.#store.withLatest(() => {
      const [beginnings, ends] = [this.#store.beginnings(), this.#store.ends()];
      const cursors = new Map(
        this.#partitions.map((partition) => {
          return [nameOf(partition), { ...partition, next: beginnings[partition.index] as number }];
        }),
      );
      for (const position of positions) {
        const cursor = cursors.get(nameOf(position));
        if (cursor === undefined && topics.has(position.topic))
          throw replaced(position, 'the log has no such partition');
        if (cursor === undefined) continue;
        const [earliest, latest] = [BigInt(cursor.next), BigInt(ends[cursor.index] as number)];
        const { from, identity } = entryAt(position, { earliest, latest });
        if (identity !== undefined) this.#expectRecord(position, cursor, identity);
        cursor.next = identity === undefined ? Number(from) : Number(position.offset);
      }
      return [...cursors.values()];
    });
  }

  /** The record before a position must be the one that it names, unless it is blank now. */
  #expectRecord(position: Position, partition: LogPartition, identity: string): void {
    const next = Number(position.offset);
    const records: LogRecord[] = [];
    this.#store.read(partition, next - 1, { records: 1, bytes: 0, atLeastOne: true, end: next }, records);
    const [before] = records;
    if (before !== undefined && !isBlank(before) && identityOf(before) !== identity) {
      throw replaced(position, 'the record before it is another one');
    }
  }

  #read(cursors: readonly PartitionCursor[], limits: Pick<PollOptions, 'maxRecords' | 'maxBytes'>) {
    return this.#store.withLatest(() => {
      const ends = this.#store.ends();
      const waiting = cursors.filter(({ index, next }) => next < (ends[index] as number));
      return takeEvenly(this.#cursors ?? [], waiting, limits, (cursor, share) => {
        const records: LogRecord[] = [];
        const end = ends[cursor.index] as number;
        const { next, bytes } = this.#store.read(cursor, cursor.next, { ...share, end }, records);
        cursor.next = next;
        return [records, bytes];
      });
    });
  }
}
