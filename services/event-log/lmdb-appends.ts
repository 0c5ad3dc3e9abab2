import type { Appended, NewRecord } from './event-log.ts';
import { CHUNK_HEADER_BYTES, sizeOf, writeRecord } from './lmdb-chunk.ts';
import type { Layout } from './lmdb-layout.ts';
import type { AppendRequest, AppendResult, PackedChunk } from './lmdb-requests.ts';
import { partitionOf } from './partition.ts';

interface Append {
  readonly records: readonly NewRecord[];
  readonly bytes: number;
  /** Of each record: its slot, and how many records of that slot go before it in the batch. */
  readonly slots: number[];
  readonly ranks: number[];
  readonly resolve: (appended: readonly Appended[]) => void;
  readonly reject: (error: unknown) => void;
}

// lmdb hands out a value of 16 MB or more as a view of the map, not as a copy.
const MAX_RECORD_BYTES = 8 * 2 ** 20;

/** A batch takes more appends until it holds this much: the disk should not wait for all that waits for it. */
const MAX_BATCH_BYTES = 8 * 2 ** 20;
const MAX_SPARE_BYTES = 2 * MAX_BATCH_BYTES;

/** One is being written, one waits in the writing thread, which so begins it without a turn of this thread between. */
const MAX_BATCHES_UNDER_WAY = 2;

// Clients that wait for their answers fall into step: all of them come within a turn, and all wait for one commit, in
// which this thread has nothing to do. So half of them are sent off before the turn is over and are committed while the
// other half comes (a seventh to a fifth more requests a second).
const LEAST_HALF = 8;
/** Of how many were open at most, from an append to the next: a third of it after 10,000, half a second of many. */
const REMEMBERED = 0.9999;

// A value over half a page gets pages of its own, the last of them half empty on average: little is cut to share pages,
// two chunks on one, much is cut so that a reader in the middle has not far to go.
const SMALL_CHUNK_BYTES = 2_000;
const BIG_CHUNK_BYTES = 64 * 1024;
const MUCH_BYTES = 16 * 1024;

/** Gathers appends into batches: two are under way, in their order, and what comes meanwhile is the next. */
export class AppendQueue {
  readonly #layout: Layout;
  readonly #write: (request: AppendRequest) => Promise<AppendResult>;
  readonly #waiting: Append[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Appends in the batches under way. */
  #underWay = 0;
  #usuallyOpen = 0;
  #isTurnAwaited = false;
  #spare = new ArrayBuffer(0);

  constructor(layout: Layout, write: (request: AppendRequest) => Promise<AppendResult>) {
    this.#layout = layout;
    this.#write = write;
  }

  /** @throws TidemarkError `CONFIG_INVALID` for a topic that was not given on opening; RangeError for a huge record. */
  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    const slots: number[] = [];
    let bytes = 0;
    for (const record of records) {
      const { index, partitions } = this.#layout.topic(record.topic);
      slots.push(index + partitionOf(record.key, partitions));
      const size = sizeOf(record);
      if (size > MAX_RECORD_BYTES) throw new RangeError(`a record of ${size} bytes is more than ${MAX_RECORD_BYTES}`);
      bytes += size;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, bytes, slots, ranks: [], resolve, reject });
      this.#usuallyOpen = Math.max(this.#waiting.length + this.#underWay, this.#usuallyOpen * REMEMBERED);
      if (this.#isHalfWaiting && this.#mayStart) this.#start();
      else this.#startAfterTurn();
    });
  }

  /** Whether half of those who usually append at once wait. */
  get #isHalfWaiting(): boolean {
    return this.#waiting.length >= Math.max(LEAST_HALF, this.#usuallyOpen / 2);
  }

  /** Resolves once nothing is under way or waits. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || this.#waiting.length > 0) {
      await Promise.all(this.#running);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Once whatever else this turn of the event loop brings is there to go along; and beside a batch under way, for which
   * it would wait anyway, whatever else the next turns bring, until one brings nothing.
   */
  #startAfterTurn(): void {
    if (this.#isTurnAwaited || !this.#mayStart) return;
    this.#isTurnAwaited = true;
    this.#awaitTurn(0);
  }

  #awaitTurn(before: number): void {
    setImmediate(() => {
      const waiting = this.#waiting.length;
      if (this.#running.size > 0 && waiting > before && !this.#isHalfWaiting) return this.#awaitTurn(waiting);
      this.#isTurnAwaited = false;
      if (this.#mayStart) this.#start();
    });
  }

  get #mayStart(): boolean {
    return this.#running.size < MAX_BATCHES_UNDER_WAY && this.#waiting.length > 0;
  }

  #start(): void {
    const appends = this.#take();
    this.#underWay += appends.length;
    const running = this.#run(appends).finally(() => {
      this.#underWay -= appends.length;
      this.#running.delete(running);
      this.#startAfterTurn();
    });
    this.#running.add(running);
  }

  async #run(appends: readonly Append[]): Promise<void> {
    const batch = new Batch(this.#layout, appends);
    try {
      const spare = this.#spare;
      this.#spare = new ArrayBuffer(0);
      const result = await this.#write(batch.pack(spare));
      this.#spare = result.bytes.byteLength <= MAX_SPARE_BYTES ? result.bytes : new ArrayBuffer(0);
      batch.resolve(result);
    } catch (error) {
      for (const { reject } of appends) reject(error);
    }
  }

  #take(): readonly Append[] {
    let bytes = 0;
    const more = this.#waiting.findIndex((append) => (bytes += append.bytes) > MAX_BATCH_BYTES);
    if (more === -1) return this.#waiting.splice(0);
    return this.#waiting.splice(0, Math.max(1, more));
  }
}

/** The records of some appends, sorted by slot. */
class Batch {
  readonly #layout: Layout;
  readonly #appends: readonly Append[];
  readonly #slots = new Map<number, NewRecord[]>();
  /** Of each slot the first of its chunks. */
  readonly #firstChunk = new Map<number, number>();

  constructor(layout: Layout, appends: readonly Append[]) {
    this.#layout = layout;
    this.#appends = appends;
    for (const { records, slots, ranks } of appends) {
      for (let i = 0; i < records.length; i++) {
        const slot = slots[i] as number;
        let gathered = this.#slots.get(slot);
        if (gathered === undefined) this.#slots.set(slot, (gathered = []));
        ranks.push(gathered.push(records[i] as NewRecord) - 1);
      }
    }
  }

  pack(spare: ArrayBuffer): AppendRequest {
    const cuts = [...this.#slots].map(([slot, records]) => ({ slot, records, lengths: cut(records) }));
    const total = cuts.reduce((sum, { lengths }) => sum + lengths.reduce((bytes, [length]) => bytes + length, 0), 0);
    const bytes = spare.byteLength >= total ? spare : new ArrayBuffer(roomFor(total));
    const target = new Uint8Array(bytes);
    const view = new DataView(bytes);
    const chunks: PackedChunk[] = [];
    let at = 0;
    for (const { slot, records, lengths } of cuts) {
      this.#firstChunk.set(slot, chunks.length);
      let next = 0;
      for (const [length, count] of lengths) {
        chunks.push({ slot, at, length, count });
        at += CHUNK_HEADER_BYTES;
        for (const end = next + count; next < end; next++) {
          at = writeRecord(target, view, at, records[next] as NewRecord);
        }
      }
    }
    return { kind: 'append', bytes, chunks };
  }

  resolve({ offsets, appendedAtMs }: AppendResult): void {
    for (const { slots, ranks, resolve } of this.#appends) {
      const appended: Appended[] = [];
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] as number;
        const { topic, partition } = this.#layout.slot(slot);
        const first = offsets[this.#firstChunk.get(slot) as number] as number;
        appended.push({ topic, partition, offset: BigInt(first + (ranks[i] as number)), appendedAtMs });
      }
      resolve(appended);
    }
  }
}

/** Cuts a slot's records into chunks: the length of each and how many records it holds. Pure. */
function cut(records: readonly NewRecord[]): readonly (readonly [length: number, count: number])[] {
  const total = records.reduce((sum, record) => sum + sizeOf(record), 0);
  const limit = total > MUCH_BYTES ? BIG_CHUNK_BYTES : SMALL_CHUNK_BYTES;
  const chunks: [number, number][] = [];
  let length = CHUNK_HEADER_BYTES;
  let count = 0;
  for (const record of records) {
    const size = sizeOf(record);
    if (count > 0 && length + size > limit) {
      chunks.push([length, count]);
      length = CHUNK_HEADER_BYTES;
      count = 0;
    }
    length += size;
    count++;
  }
  chunks.push([length, count]);
  return chunks;
}

/** Generous, so that the memory serves the next batches too. */
function roomFor(bytes: number): number {
  return Math.max(64 * 1024, 2 ** Math.ceil(Math.log2(bytes)));
}
