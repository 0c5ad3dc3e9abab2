import { hasCode } from '../../../runtime/errors.ts';
import { damaged } from './errors.ts';
import { nameOf } from '../../partition.ts';
import { replaced } from '../../refusals.ts';
import type { LogPartition } from './layout.ts';
import type { LogView } from './log-view.ts';
import type { SegmentFile } from './segment-file.ts';
import type { FoundChunk, SegmentIndex } from './segment-index.ts';
import type { SegmentSet } from './segment-set.ts';
import type { SharedLog } from './shared-log.ts';

/** A chunk in its segment. */
export interface StoredChunk extends FoundChunk {
  readonly file: SegmentFile;
  /** What lies beyond may still change. */
  readonly limit: number;
}

/** Finds in which segment, and where in it, a record lies. */
export class ChunkFinder {
  readonly #shared: SharedLog;
  readonly #segments: SegmentSet;
  readonly #view: LogView;

  constructor(shared: SharedLog, segments: SegmentSet, view: LogView) {
    this.#shared = shared;
    this.#segments = segments;
    this.#view = view;
  }

  /** The offset of each partition, by its index, where a segment begins. A partition that was created later is left out. */
  startsOf(segment: number): readonly number[] {
    return segment === this.#view.file.number ? this.#view.starts : this.#segments.starts(segment);
  }

  /** The offset of the first record of every partition that has not been cut. */
  beginnings(): Float64Array {
    const starts = this.#unlessCut(() => this.startsOf(this.#shared.first));
    return Float64Array.from(this.#view.ends, (_, partition) => starts[partition] ?? 0);
  }

  /** @throws TidemarkError `LOG_REPLACED` where the record was cut, `LOG_DAMAGED` where it is lost. */
  find(partition: LogPartition, offset: number): StoredChunk {
    return this.#unlessCut(() => {
      const segment = this.#segmentOf(partition, offset);
      const found = this.#indexOf(segment).find(partition.index, offset);
      if (found === undefined) throw damaged(`${nameOf(partition)} has lost the record at offset ${offset}`);
      return this.#stored(segment, found);
    });
  }

  /** The chunks that can be found, of an offset and behind it. Segments that cannot be read are passed. */
  *findAll({ index }: LogPartition, offset: number): Generator<StoredChunk> {
    for (let segment = this.#shared.first; segment <= this.#view.file.number; segment++) {
      const chunks = unlessUnreadable(() => this.#indexOf(segment));
      let found = chunks?.findFrom(index, offset);
      for (; found !== undefined; found = chunks?.findFrom(index, found.first + found.count)) {
        yield this.#stored(segment, found);
      }
    }
  }

  #indexOf(segment: number): SegmentIndex {
    return segment === this.#view.file.number ? this.#view.index : this.#segments.index(segment);
  }

  #stored(segment: number, found: FoundChunk): StoredChunk {
    const { file, scanned } = this.#view;
    if (segment === file.number) return { ...found, file, limit: scanned };
    return { ...found, file: this.#segments.file(segment), limit: Infinity };
  }

  /** The last segment that begins at the offset or before. One that is lost, or whose beginning is, is passed. */
  #segmentOf(partition: LogPartition, offset: number): number {
    let low = this.#shared.first;
    let high = this.#view.file.number;
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
      const { first } = this.#shared;
      try {
        return work();
      } catch (error) {
        if (this.#shared.first === first) throw error;
      }
    }
  }
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
export function unlessUnreadable<T>(work: () => T): T | undefined {
  try {
    return unlessLost(work);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return undefined;
    throw error;
  }
}
