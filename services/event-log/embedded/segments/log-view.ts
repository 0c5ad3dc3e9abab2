import { damaged } from './errors.ts';
import { Layout, type Topic } from './layout.ts';
import { readBeginning } from './beginning.ts';
import type { FileOperations } from './files.ts';
import { type Frame, FRAME_KIND, frameBytesOf, type FrameParts, framesIn } from './frame.ts';
import type { SegmentFile } from './segment-file.ts';
import { SegmentIndex } from './segment-index.ts';
import type { SegmentSet } from './segment-set.ts';
import type { SharedLog } from './shared-log.ts';

/** The log in a folder, as one thread has it open. */
export interface LogParts {
  readonly files: FileOperations;
  readonly folder: string;
  readonly shared: SharedLog;
  readonly segments: SegmentSet;
  readonly view: LogView;
}

/** The body of a commit, in JSON. */
export interface CommitBody {
  /** All topics, where some were created. */
  readonly topics?: readonly Topic[];
  /** The values that were stored under a name. */
  readonly notes?: Readonly<Record<string, unknown>>;
}

/**
 * The log as far as it is flushed, for one thread: it reads the frames that all threads have written to the last segment
 * since it looked before.
 */
export class LogView {
  readonly #shared: SharedLog;
  readonly #segments: SegmentSet;
  #file: SegmentFile | undefined;
  #topics: readonly Topic[] = [];
  #layout = new Layout([]);
  #starts: readonly number[] = [];
  #ends: number[] = [];
  #notes = new Map<string, unknown>();
  #index = new SegmentIndex();
  /** Where its frames begin, behind the beginning. */
  #framesAt = 0;
  #scanned = 0;

  constructor(shared: SharedLog, segments: SegmentSet) {
    this.#shared = shared;
    this.#segments = segments;
  }

  /** The last segment. */
  get file(): SegmentFile {
    if (this.#file === undefined) throw new Error('no segment of the log has been looked at');
    return this.#file;
  }

  /** The offset of each partition, by its index, where the last segment begins. */
  get starts(): readonly number[] {
    return this.#starts;
  }

  get ends(): readonly number[] {
    return this.#ends;
  }

  get topics(): readonly Topic[] {
    return this.#topics;
  }

  get layout(): Layout {
    return this.#layout;
  }

  /** By their names. */
  get notes(): ReadonlyMap<string, unknown> {
    return this.#notes;
  }

  /** The chunks of the last segment. */
  get index(): SegmentIndex {
    return this.#index;
  }

  get framesAt(): number {
    return this.#framesAt;
  }

  /** Up to where it has seen the last segment. */
  get scanned(): number {
    return this.#scanned;
  }

  /** @throws TidemarkError `LOG_DAMAGED` where a frame before the flushed end cannot be read. */
  follow(): void {
    const { segment, end } = this.#shared.flushed;
    if (this.#file?.number !== segment) this.enter(segment, end);
    if (this.#scanned === end) return;
    for (const frame of framesIn(this.file, this.#scanned, end)) {
      if (frame.position !== this.#scanned) break;
      this.apply(frame);
    }
    if (this.#scanned !== end) throw damaged(`${this.file.name} is damaged at byte ${this.#scanned}`);
  }

  /** Begins at the first frame of a segment. @throws TidemarkError `LOG_DAMAGED` where its beginning cannot be read. */
  enter(number: number, limit: number): void {
    const file = this.#segments.openFile(number);
    try {
      const found = readBeginning(file, limit);
      if (found === undefined) throw damaged(`the beginning of ${file.name} is damaged`);
      const { topics, ends, notes } = found.beginning;
      this.useTopics(topics);
      this.#starts = ends;
      this.#ends = [...ends];
      this.#notes = new Map(Object.entries(notes));
      this.#index = new SegmentIndex();
      this.#framesAt = this.#scanned = found.end;
    } catch (error) {
      file.close();
      throw error;
    }
    this.#file?.close();
    this.#file = file;
  }

  /** Takes in a frame of the last segment, which is flushed. */
  apply({ kind, chunks, body, end }: Frame): void {
    if (kind === FRAME_KIND.commit && body.length > 0) {
      const { topics, notes = {} } = JSON.parse(body.toString()) as CommitBody;
      if (topics !== undefined) this.useTopics(topics);
      for (const [name, value] of Object.entries(notes)) this.#notes.set(name, value);
    }
    for (const chunk of chunks) {
      this.#index.add(chunk);
      this.#ends[chunk.partition] = chunk.first + chunk.count;
    }
    this.#scanned = end;
  }

  /** Takes in a frame that this thread has written at a position. */
  applyWritten({ kind, chunks, body }: FrameParts, position: number): void {
    const end = position + frameBytesOf({ chunks, body });
    let at = end - chunks.reduce((sum, { length }) => sum + length, 0);
    const entries = chunks.map((chunk) => {
      const entry = { ...chunk, position: at };
      at += chunk.length;
      return entry;
    });
    this.apply({ kind, position, end, chunks: entries, body });
  }

  /** A partition that is new begins at 0. */
  useTopics(topics: readonly Topic[]): void {
    this.#topics = topics;
    this.#layout = new Layout(topics);
    const { length } = this.#layout.partitions;
    for (let i = this.#ends.length; i < length; i++) this.#ends.push(0);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
