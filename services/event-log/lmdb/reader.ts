import type {
  LogReader,
  LogRecord,
  PartitionRecords,
  PollOptions,
  Position,
  ReaderOptions,
  TopicPartition,
} from '../event-log.ts';
import { identityOf } from '../identity.ts';
import { nameOf, type Slot } from './layout.ts';
import type { LmdbStore } from './store.ts';
import { type Place, take } from './take.ts';
import type { LmdbWriter } from './writer.ts';
import { replaced } from '../refusals.ts';

// How often one looks for what another process or thread has appended. A look costs about 10 µs.
const LOOK_EVERY_MS = 20;

export interface LmdbReaderParts {
  readonly store: LmdbStore;
  readonly writer: LmdbWriter;
  /** The member of each group that reads: the first that polled. Shared by the readers of a log. */
  readonly owners: Map<string, LmdbReader>;
  readonly closed: (reader: LmdbReader) => void;
}

export class LmdbReader implements LogReader {
  readonly #group: string;
  readonly #store: LmdbStore;
  readonly #writer: LmdbWriter;
  readonly #owners: Map<string, LmdbReader>;
  readonly #closed: (reader: LmdbReader) => void;
  readonly #start: ReaderOptions['start'];
  readonly #slots: readonly Slot[];
  /** Undefined where `start` has to be asked. */
  #places: Place[] | undefined;
  /** Counts what makes an answer of `start` an old one. */
  #turn = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor({ store, writer, owners, closed }: LmdbReaderParts, { group, topics, start }: ReaderOptions) {
    this.#group = group;
    this.#store = store;
    this.#writer = writer;
    this.#owners = owners;
    this.#closed = closed;
    this.#start = start;
    this.#slots = store.layout.slotsOf(topics);
  }

  async poll({ maxRecords, maxBytes, maxWaitMs }: PollOptions): Promise<readonly PartitionRecords[]> {
    const deadlineMs = performance.now() + maxWaitMs;
    while (!this.#isClosed) {
      const places = await this.#ready();
      if (this.#isClosed) break;
      const found = places === undefined ? [] : this.#read(places, maxRecords, maxBytes);
      const leftMs = deadlineMs - performance.now();
      if (found.length > 0 || leftMs <= 0) return found;
      await this.#pause(Math.min(leftMs, LOOK_EVERY_MS));
    }
    return [];
  }

  async commit(positions: readonly Position[]): Promise<void> {
    if (positions.length > 0) await this.#writer.write({ kind: 'commit', group: this.#group, positions });
  }

  restart(): void {
    this.#places = undefined;
    this.#turn++;
  }

  assigned(): readonly TopicPartition[] {
    return this.#isOwner ? this.#slots.map(({ topic, partition }) => ({ topic, partition })) : [];
  }

  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isOwner) this.#owners.delete(this.#group);
    this.restart();
    this.wake();
    this.#closed(this);
    return Promise.resolve();
  }

  /** There may be something to read. */
  wake(): void {
    this.#wake?.();
  }

  get #isOwner(): boolean {
    return this.#owners.get(this.#group) === this;
  }

  /** Where to read; undefined while another member of the group reads, and after a restart meanwhile. */
  async #ready(): Promise<readonly Place[] | undefined> {
    if (!this.#owners.has(this.#group)) this.#owners.set(this.#group, this);
    if (!this.#isOwner) return undefined;
    const known = this.#places;
    if (known !== undefined) return known;
    const turn = this.#turn;
    const positions = await this.#start(this.assigned());
    // Restarted or closed meanwhile.
    if (turn !== this.#turn) return undefined;
    this.#places = this.#placesOf(positions);
    return this.#places;
  }

  #placesOf(positions: readonly Position[]): Place[] {
    const places = new Map(this.#slots.map((slot) => [nameOf(slot), { slot, next: 0 }]));
    const topics = new Set(this.#slots.map(({ topic }) => topic));
    this.#store.look(() => {
      const ends = this.#store.ends();
      for (const position of positions) {
        const place = places.get(nameOf(position));
        if (place !== undefined) place.next = this.#verified(position, place.slot, ends);
        else if (topics.has(position.topic)) throw replaced(position, 'the log has no such partition');
      }
    });
    return [...places.values()];
  }

  #verified(position: Position, slot: Slot, ends: Float64Array): number {
    const next = Number(position.offset);
    if (next === 0 && position.identity === '') return 0;
    if (next < 1 || next > (ends[slot.index] as number)) throw replaced(position, `it ends at ${ends[slot.index]}`);
    const records: LogRecord[] = [];
    this.#store.read(slot, next - 1, { records: 1, bytes: 0, atLeastOne: true }, records);
    if (records[0] === undefined || identityOf(records[0]) !== position.identity) {
      throw replaced(position, 'another record stands before it');
    }
    return next;
  }

  /** Shares what may be taken evenly among the partitions that have something; who came first is last next time. */
  #read(places: readonly Place[], maxRecords: number, maxBytes: number): readonly PartitionRecords[] {
    return this.#store.look(() => {
      const ends = this.#store.ends();
      const waiting = places.filter(({ slot, next }) => next < (ends[slot.index] as number));
      const found: PartitionRecords[] = [];
      let records = Math.max(1, maxRecords);
      let bytes = maxBytes;
      for (const [i, place] of waiting.entries()) {
        const sharers = waiting.length - i;
        const atLeastOne = found.length === 0;
        const share = { records: Math.ceil(records / sharers), bytes: Math.ceil(bytes / sharers), atLeastOne };
        const [taken, takenBytes] = take(this.#store, place, ends[place.slot.index] as number, share);
        records -= taken.length;
        bytes -= takenBytes;
        const { topic, partition } = place.slot;
        if (taken.length > 0) found.push({ topic, partition, records: taken });
        if (records <= 0) break;
      }
      this.#rotate(found.length > 0 ? waiting[0] : undefined);
      return found;
    });
  }

  #rotate(served: Place | undefined): void {
    const places = this.#places;
    if (served === undefined || places === undefined) return;
    const after = places.indexOf(served) + 1;
    places.push(...places.splice(0, after));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      const wake = done;
      this.#wake = wake;
      function done(): void {
        clearTimeout(timer);
        resolve();
      }
    });
  }
}
