import { hasCode } from '../../../runtime/errors.ts';
import { nameOf } from '../../partition.ts';
import { replaced } from '../../refusals.ts';
import { isIntact, seedOf } from './chunk.ts';
import { finishRedo } from './erasure.ts';
import { damaged } from './errors.ts';
import type { LogPartition } from './layout.ts';
import type { LogParts } from './log-view.ts';
import type { FoundChunk, IntactChunk, SegmentIndex, StoredChunk } from './segment-index.ts';

/** Finds in which segment, and where in it, a record lies, and reads the chunk that has it. */
export class ChunkReader {
  readonly #parts: LogParts;

  constructor(parts: LogParts) {
    this.#parts = parts;
  }

  /** The offset of each partition, by its index, where a segment begins. A partition that was created later is left out. */
  startsOf(segment: number): readonly number[] {
    const { segments, view } = this.#parts;
    return segment === view.file.number ? view.starts : segments.starts(segment);
  }

  /** The offset of the first record of every partition that has not been cut. */
  beginnings(): Float64Array {
    const { shared, view } = this.#parts;
    const starts = this.#unlessCut(() => this.startsOf(shared.first));
    return Float64Array.from(view.ends, (_, partition) => starts[partition] ?? 0);
  }

  /**
   * The chunk that has a record, checked.
   *
   * @throws TidemarkError `LOG_REPLACED` where the record was cut, `LOG_DAMAGED` where it is lost.
   */
  read(partition: LogPartition, offset: number): IntactChunk {
    return this.#intact(partition, this.#find(partition, offset));
  }

  /** The chunks of an offset and behind it that can be found and are whole. What cannot be read is passed. */
  *readWhole(partition: LogPartition, offset: number): Generator<IntactChunk> {
    for (const stored of this.#findAll(partition, offset)) {
      const chunk = unlessUnreadable(() => this.#intact(partition, stored));
      if (chunk !== undefined) yield chunk;
    }
  }

  #find(partition: LogPartition, offset: number): StoredChunk {
    return this.#unlessCut(() => {
      const segment = this.#segmentOf(partition, offset);
      const found = this.#indexOf(segment).find(partition.index, offset);
      if (found === undefined) throw damaged(`${nameOf(partition)} has lost the record at offset ${offset}`);
      return this.#stored(segment, found);
    });
  }

  /** Segments that cannot be read are passed. */
  *#findAll({ index }: LogPartition, offset: number): Generator<StoredChunk> {
    const { shared, view } = this.#parts;
    for (let segment = shared.first; segment <= view.file.number; segment++) {
      const chunks = unlessUnreadable(() => this.#indexOf(segment));
      let found = chunks?.findFrom(index, offset);
      for (; found !== undefined; found = chunks?.findFrom(index, found.first + found.count)) {
        yield this.#stored(segment, found);
      }
    }
  }

  #indexOf(segment: number): SegmentIndex {
    const { segments, view } = this.#parts;
    return segment === view.file.number ? view.index : segments.index(segment);
  }

  #stored(segment: number, found: FoundChunk): StoredChunk {
    const { segments, view } = this.#parts;
    if (segment === view.file.number) return { ...found, file: view.file, limit: view.scanned };
    return { ...found, file: segments.file(segment), limit: Infinity };
  }

  #intact(partition: LogPartition, stored: StoredChunk): IntactChunk {
    const seed = seedOf(partition, stored.first);
    const chunk = readChunk(stored);
    if (chunk !== undefined && isIntact(chunk, seed)) return { ...stored, chunk };
    const again = this.#readUnderLock(stored);
    if (again !== undefined && isIntact(again, seed)) return { ...stored, chunk: again };
    throw damaged(`${stored.file.name} is damaged at byte ${stored.position}: ${nameOf(partition)} has lost records`);
  }

  /** Another thread may be overwriting the chunk, or may have ended in the middle of that. */
  #readUnderLock(stored: StoredChunk): Buffer | undefined {
    return this.#parts.shared.exclusively(() => {
      finishRedo(this.#parts);
      stored.file.forget();
      return readChunk(stored);
    });
  }

  /** The last segment that begins at the offset or before. One that is lost, or whose beginning is, is passed. */
  #segmentOf(partition: LogPartition, offset: number): number {
    const { shared, view } = this.#parts;
    let low = shared.first;
    let high = view.file.number;
    const beginning = this.#startOf(low, partition);
    if (beginning !== undefined && offset < beginning) {
      const at = { topic: partition.topic, partition: partition.partition, offset: BigInt(offset) };
      throw replaced(at, `the records before ${beginning} were deleted`);
    }
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      let readable = middle;
      while (readable < high && this.#startOf(readable, partition) === undefined) readable++;
      if ((this.#startOf(readable, partition) ?? Infinity) <= offset) low = readable;
      else high = middle - 1;
    }
    return low;
  }

  /** Undefined where the segment's beginning is damaged or lost. */
  #startOf(segment: number, { index }: LogPartition): number | undefined {
    return unlessLost(() => this.startsOf(segment)[index] ?? 0);
  }

  /** Runs `work` again where segments that it wanted were cut meanwhile. */
  #unlessCut<T>(work: () => T): T {
    for (;;) {
      const { first } = this.#parts.shared;
      try {
        return work();
      } catch (error) {
        if (this.#parts.shared.first === first) throw error;
      }
    }
  }
}

function readChunk({ file, position, length, limit, isAlone }: StoredChunk): Buffer | undefined {
  return file.bytes(position, length, limit, isAlone);
}

/** Undefined where what is wanted is damaged or lost. */
export function unlessLost<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (hasCode(error, 'LOG_DAMAGED')) return undefined;
    throw error;
  }
}

/** The same where the disk does not give it. */
function unlessUnreadable<T>(work: () => T): T | undefined {
  try {
    return unlessLost(work);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return undefined;
    throw error;
  }
}
