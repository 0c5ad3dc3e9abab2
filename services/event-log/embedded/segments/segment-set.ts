import { damaged } from './errors.ts';
import { readBeginning } from './beginning.ts';
import type { FileOperations } from './files.ts';
import { FRAME_KIND, framesIn, readFrame } from './frame.ts';
import { SegmentFile, segmentNumber } from './segment-file.ts';
import { SegmentIndex } from './segment-index.ts';

/** Segments that a thread keeps open, besides the last one: readers move on side by side. */
const MAX_OPEN = 8;

interface OpenSegment {
  readonly file: SegmentFile;
  index: SegmentIndex | undefined;
}

/** The segments of a folder, for one thread. */
export class SegmentSet {
  readonly #files: FileOperations;
  readonly #folder: string;
  /** The names by number, as of the last look at the folder. `nameOf` looks again for one that it does not find. */
  #names = new Map<number, string>();
  /** The most recently used come last. */
  readonly #open = new Map<number, OpenSegment>();
  readonly #starts = new Map<number, readonly number[]>();
  readonly #sizes = new Map<number, number>();
  /** What `bytesBetween` has counted. */
  #counted = { from: 0, to: 0, bytes: 0 };

  constructor(files: FileOperations, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** The numbers and names of all segments, in order. */
  list(): readonly (readonly [number: number, name: string])[] {
    const all = this.#files.names(this.#folder).flatMap((name) => {
      const number = segmentNumber(name);
      return number === undefined ? [] : [[number, name] as const];
    });
    this.#names = new Map(all);
    return all.toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1));
  }

  /** @throws TidemarkError `LOG_DAMAGED` where no segment has this number. */
  nameOf(number: number): string {
    if (!this.#names.has(number)) this.list();
    const name = this.#names.get(number);
    if (name === undefined) throw damaged(`the event log in ${this.#folder} has lost its segment ${number}`);
    return name;
  }

  /** Opens a segment, for the caller to close. */
  openFile(number: number): SegmentFile {
    const name = this.nameOf(number);
    try {
      return new SegmentFile(this.#files, this.#folder, name);
    } catch (error) {
      // Since they were listed it may have been cut, or removed where it could not be begun and begun under another name.
      this.list();
      if (this.nameOf(number) === name) throw error;
      return this.openFile(number);
    }
  }

  file(number: number): SegmentFile {
    return this.#opened(number).file;
  }

  /** The offset of each partition, by its index, where a segment begins. */
  starts(number: number): readonly number[] {
    let starts = this.#starts.get(number);
    if (starts === undefined) {
      starts = this.#readStarts(number);
      this.#starts.set(number, starts);
    }
    return starts;
  }

  /** Bytes of the segments from one to before another, which take no more frames. */
  bytesBetween(from: number, to: number): number {
    if (this.#counted.from !== from) this.#counted = { from, to: from, bytes: 0 };
    const counted = this.#counted;
    for (; counted.to < to; counted.to++) counted.bytes += this.#sizes.get(counted.to) ?? this.#readSize(counted.to);
    return counted.bytes;
  }

  /** The chunks of a segment that takes no more frames. One that was given up, or is damaged, is read frame by frame. */
  index(number: number): SegmentIndex {
    const opened = this.#opened(number);
    opened.index ??= storedIndex(opened.file) ?? scannedIndex(opened.file);
    return opened.index;
  }

  /** Forgets what was read of the segments, and closes those before `first`, which have been cut. */
  forget(first: number): void {
    for (const [number, { file }] of this.#open) {
      file.forget();
      if (number < first) this.#closeOne(number);
    }
  }

  close(): void {
    for (const number of this.#open.keys()) this.#closeOne(number);
  }

  /** It may be the last one, of which nothing must be kept that may still change. */
  #readStarts(number: number): readonly number[] {
    const file = this.openFile(number);
    try {
      const starts = readBeginning(file, file.size())?.beginning.ends;
      if (starts === undefined) throw damaged(`the beginning of ${file.name} is damaged`);
      return starts;
    } finally {
      file.close();
    }
  }

  /** 0 where it is lost. */
  #readSize(number: number): number {
    let size = 0;
    try {
      const file = this.openFile(number);
      size = file.size();
      file.close();
    } catch {
      // A read will report it.
    }
    this.#sizes.set(number, size);
    return size;
  }

  #opened(number: number): OpenSegment {
    const opened = this.#open.get(number) ?? { file: this.openFile(number), index: undefined };
    this.#open.delete(number);
    this.#open.set(number, opened);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#closeOne(oldest);
    return opened;
  }

  #closeOne(number: number): void {
    this.#open.get(number)?.file.close();
    this.#open.delete(number);
  }
}

const POSITION_BYTES = 4;

/** The body of an index ends with the position of its frame, which are the last bytes of the segment. */
export function encodeIndex(index: SegmentIndex, position: number): Buffer {
  const end = Buffer.alloc(POSITION_BYTES);
  end.writeUInt32LE(position);
  return Buffer.concat([index.encode(), end]);
}

function storedIndex(file: SegmentFile): SegmentIndex | undefined {
  const size = file.size();
  const position = file.bytes(size - POSITION_BYTES, POSITION_BYTES, size)?.readUInt32LE();
  const frame = position === undefined ? undefined : readFrame(file, position, size);
  if (frame?.kind !== FRAME_KIND.index || frame.end !== size) return undefined;
  return SegmentIndex.decode(frame.body.subarray(0, -POSITION_BYTES));
}

/** The chunks of a frame that was cut short are among them. */
function scannedIndex(file: SegmentFile): SegmentIndex {
  const index = new SegmentIndex();
  for (const { chunks } of framesIn(file, 0, Infinity)) for (const chunk of chunks) index.add(chunk);
  return index;
}
