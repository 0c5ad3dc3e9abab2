/** Records for the writer thread: grouped by partition, cut into chunks and packed into one piece of memory. */
import type { Appended, NewRecord } from '../event-log.ts';
import { CHUNK_HEADER_BYTES, chunkBytesOf, writeRecord } from './segments/chunk.ts';
import type { Layout } from './segments/layout.ts';
import type { AppendRequest, AppendResult, PackedChunk } from './requests.ts';
import { partitionOf } from '../partition.ts';

/** The records of one append. */
export interface Placed {
  readonly records: readonly NewRecord[];
  /** The partition index of each record, and the number of records of that partition before it in the batch. */
  readonly slots: readonly number[];
  readonly ranks: number[];
  readonly resolve: (appended: readonly Appended[]) => void;
}

// A chunk is written and read as a whole, in memory.
const MAX_RECORD_BYTES = 8 * 2 ** 20;

/** A batch is complete at this size, so that the disk does not wait until all that is queued is packed. */
export const MAX_BATCH_BYTES = 8 * 2 ** 20;
const MAX_SPARE_BYTES = 2 * MAX_BATCH_BYTES;

// Damage costs a chunk, and a reader that begins in the middle of one reads it all. On the other hand each has a checksum
// and an entry in the index, so those of a large batch are larger.
const SMALL_CHUNK_BYTES = 2_000;
const BIG_CHUNK_BYTES = 64 * 1024;
const MUCH_BYTES = 16 * 1024;

/**
 * The index of each record's partition, and the bytes that all of them take.
 *
 * @throws TidemarkError `CONFIG_INVALID` for a topic that was not given on opening; RangeError for a huge record.
 */
export function place(
  layout: Layout,
  records: readonly NewRecord[],
): { readonly slots: readonly number[]; readonly bytes: number } {
  const slots: number[] = [];
  let bytes = 0;
  for (const record of records) {
    const { index, partitions } = layout.topic(record.topic);
    slots.push(index + partitionOf(record.key, partitions));
    const size = chunkBytesOf(record);
    if (size > MAX_RECORD_BYTES) throw new RangeError(`a record of ${size} bytes is more than ${MAX_RECORD_BYTES}`);
    bytes += size;
  }
  return { slots, bytes };
}

/** Memory that is reused from batch to batch. */
export class SpareMemory {
  #spare = new ArrayBuffer(0);

  take(bytes: number): ArrayBuffer {
    const spare = this.#spare;
    this.#spare = new ArrayBuffer(0);
    return spare.byteLength >= bytes ? spare : new ArrayBuffer(capacityFor(bytes));
  }

  giveBack(memory: ArrayBuffer): void {
    if (memory.byteLength <= MAX_SPARE_BYTES) this.#spare = memory;
  }
}

/** The records of several appends, grouped by partition. */
export class Batch {
  readonly #layout: Layout;
  readonly #appends: readonly Placed[];
  readonly #slots = new Map<number, NewRecord[]>();
  /** The first chunk of each partition. */
  readonly #firstChunk = new Map<number, number>();

  constructor(layout: Layout, appends: readonly Placed[]) {
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

  pack(memory: SpareMemory): AppendRequest {
    const cuts = [...this.#slots].map(([slot, records]) => ({ slot, records, lengths: cut(records) }));
    const total = cuts.reduce((sum, { lengths }) => sum + lengths.reduce((bytes, [length]) => bytes + length, 0), 0);
    const bytes = memory.take(total);
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
        const { topic, partition } = this.#layout.partitionAt(slot);
        const first = offsets[this.#firstChunk.get(slot) as number] as number;
        appended.push({ topic, partition, offset: BigInt(first + (ranks[i] as number)), appendedAtMs });
      }
      resolve(appended);
    }
  }
}

/** Cuts a partition's records into chunks: the length and the number of records of each. Pure. */
function cut(records: readonly NewRecord[]): readonly (readonly [length: number, count: number])[] {
  const total = records.reduce((sum, record) => sum + chunkBytesOf(record), 0);
  const limit = total > MUCH_BYTES ? BIG_CHUNK_BYTES : SMALL_CHUNK_BYTES;
  const chunks: [number, number][] = [];
  let length = CHUNK_HEADER_BYTES;
  let count = 0;
  for (const record of records) {
    const size = chunkBytesOf(record);
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

/** Rounded up, so that the memory suffices for later batches too. */
function capacityFor(bytes: number): number {
  return Math.max(64 * 1024, 2 ** Math.ceil(Math.log2(bytes)));
}
