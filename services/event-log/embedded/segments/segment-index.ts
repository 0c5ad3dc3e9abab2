import type { ChunkEntry } from './frame.ts';
import type { SegmentFile } from './segment-file.ts';

/** The chunks of one partition in a segment, oldest first. */
interface ChunkList {
  readonly firsts: number[];
  readonly counts: number[];
  readonly positions: number[];
  readonly lengths: number[];
}

export interface FoundChunk extends Omit<ChunkEntry, 'partition'> {
  /** The next chunk of its partition does not lie near. */
  readonly isAlone: boolean;
}

/** A chunk in its segment. */
export interface StoredChunk extends FoundChunk {
  readonly file: SegmentFile;
  /** What lies beyond may still change. */
  readonly limit: number;
}

/** One whose checksum fits, with its bytes. */
export interface IntactChunk extends StoredChunk {
  readonly chunk: Buffer;
}

// Where the chunks of a partition lie farther apart, one read for each costs less than a read of all between them.
const NEAR_BYTES = 16 * 1024;

const LIST_BYTES = 8;
const INDEX_ENTRY_BYTES = 20;

/**
 * Where the chunks of a segment lie. At the end of a full segment it is stored, little-endian: for each partition that has
 * chunks its index and their number, both u32, and for each chunk the first offset f64, the records, the position and
 * the length u32.
 */
export class SegmentIndex {
  /** By the index of the partition. */
  readonly #lists = new Map<number, ChunkList>();

  /** @param entry It comes after those that were added before. */
  add({ partition, first, count, position, length }: ChunkEntry): void {
    let list = this.#lists.get(partition);
    if (list === undefined) {
      list = { firsts: [], counts: [], positions: [], lengths: [] };
      this.#lists.set(partition, list);
    }
    list.firsts.push(first);
    list.counts.push(count);
    list.positions.push(position);
    list.lengths.push(length);
  }

  /** The chunk that has the record at an offset. */
  find(partition: number, offset: number): FoundChunk | undefined {
    const found = this.findFrom(partition, offset);
    return found !== undefined && found.first <= offset ? found : undefined;
  }

  /** The first chunk that has a record at an offset or behind it. */
  findFrom(partition: number, offset: number): FoundChunk | undefined {
    const list = this.#lists.get(partition);
    if (list === undefined) return undefined;
    let [low, high] = [0, list.firsts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((list.firsts[middle] as number) + (list.counts[middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    const [first, count] = [list.firsts[low], list.counts[low]];
    if (first === undefined || count === undefined) return undefined;
    const [position, length] = [list.positions[low] as number, list.lengths[low] as number];
    const isAlone = (list.positions[low + 1] ?? Infinity) > position + length + NEAR_BYTES;
    return { first, count, position, length, isAlone };
  }

  encode(): Buffer {
    let bytes = 0;
    for (const { firsts } of this.#lists.values()) bytes += LIST_BYTES + INDEX_ENTRY_BYTES * firsts.length;
    const target = Buffer.alloc(bytes);
    let at = 0;
    for (const [partition, { firsts, counts, positions, lengths }] of this.#lists) {
      at = target.writeUInt32LE(partition, at);
      at = target.writeUInt32LE(firsts.length, at);
      for (const [i, first] of firsts.entries()) {
        at = target.writeDoubleLE(first, at);
        at = target.writeUInt32LE(counts[i] as number, at);
        at = target.writeUInt32LE(positions[i] as number, at);
        at = target.writeUInt32LE(lengths[i] as number, at);
      }
    }
    return target;
  }

  static decode(bytes: Buffer): SegmentIndex {
    const index = new SegmentIndex();
    for (let at = 0; at < bytes.length;) {
      const [partition, chunks] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      at += LIST_BYTES;
      for (let i = 0; i < chunks; i++, at += INDEX_ENTRY_BYTES) {
        const [first, count] = [bytes.readDoubleLE(at), bytes.readUInt32LE(at + 8)];
        const [position, length] = [bytes.readUInt32LE(at + 12), bytes.readUInt32LE(at + 16)];
        index.add({ partition, first, count, position, length });
      }
    }
    return index;
  }
}
