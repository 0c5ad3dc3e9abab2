import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { encodeBeginning, SEGMENT_FORMAT } from './beginning.ts';
import type { FileOperations } from './files.ts';
import { encodeHead, type FrameParts, FRAME_KIND, frameBytesOf, MAX_FRAME_BYTES } from './frame.ts';
import { Head, type LogEnd } from './head.ts';
import type { LogParts } from './log-view.ts';
import { segmentName } from './segment-file.ts';
import { encodeIndex } from './segment-set.ts';
import { LOG_STATE } from './shared-log.ts';

/** What is tried after a failed write, besides the frame: a segment's beginning fits into it. */
const TRIAL_BYTES = 2 ** 20;
/** A trial that a crash left. */
export const TRIAL_FILE = /^trial-[0-9a-f]{16}$/;

/** The log as a thread has it open to write. */
export interface WritableParts extends LogParts {
  readonly writer: SegmentWriter;
}

/**
 * Writes frames to the last segment, and begins new ones. All of it under the lock, and with the view at the flushed end.
 * A frame is written only after the one before it was flushed.
 */
export class SegmentWriter {
  readonly #parts: LogParts;
  readonly #segmentBytes: number;
  #head: Head | undefined;
  /** The last segment, opened to be written. */
  #opened: { readonly number: number; readonly descriptor: number } | undefined;

  /** @param segmentBytes A segment takes no frame that would make it longer, unless it has none. */
  constructor(parts: LogParts, segmentBytes: number) {
    this.#parts = parts;
    this.#segmentBytes = segmentBytes;
  }

  /**
   * Writes a commit. It is flushed when this returns.
   *
   * @param chunks Their bytes, in the order of `parts.chunks`.
   * @throws Error of the file system. The frame is then not in the log, and what was written of it lies beyond its end.
   */
  commit(parts: FrameParts, chunks: readonly Uint8Array[]): void {
    const bytes = frameBytesOf(parts);
    if (bytes > MAX_FRAME_BYTES) throw new RangeError(`a commit of ${bytes} bytes is more than ${MAX_FRAME_BYTES}`);
    this.#makeRoom(bytes);
    this.#write(parts, chunks);
  }

  /** Writes a commit without chunks, and again behind it in the same segment, so that no single damaged byte hides it. */
  commitTwice(parts: FrameParts): void {
    this.#makeRoom(2 * frameBytesOf(parts));
    for (let copies = 0; copies < 2; copies++) this.#write(parts, []);
  }

  /**
   * Begins the next segment.
   *
   * @param ends The next offset of every partition, by its index.
   */
  begin(ends: readonly number[]): void {
    const { files, folder, shared, segments, view } = this.#parts;
    const number = shared.flushed.segment + 1;
    for (const [left, name] of segments.list()) if (left >= number) files.remove(join(folder, name));
    const name = segmentName(number, randomBytes(8).toString('hex'));
    const { topics, notes } = view;
    const beginning = { format: SEGMENT_FORMAT, topics, ends, notes: Object.fromEntries(notes) };
    const pieces = encodeBeginning(crc32(name), beginning);
    const path = join(folder, name);
    this.#closeSegment();
    const descriptor = files.open(path, 'create');
    try {
      files.write(descriptor, pieces, 0);
      files.flush(descriptor);
      files.flushFolder(folder);
      this.noteEnd({ segment: number, end: pieces.reduce((sum, { length }) => sum + length, 0) });
    } catch (error) {
      files.close(descriptor);
      removeIfPossible(files, path);
      throw error;
    }
    this.#opened = { number, descriptor };
    shared.state = LOG_STATE.ready;
    view.follow();
  }

  /** Begins the next segment if the last one has records. */
  beginUnlessNew(): void {
    const { shared, view } = this.#parts;
    if (shared.state === LOG_STATE.writing || shared.state === LOG_STATE.failed) this.#giveUpSegment(0);
    if (view.ends.some((end, partition) => end > (view.starts[partition] ?? 0))) this.begin(view.ends);
  }

  /** Everything before it is flushed. */
  noteEnd(end: LogEnd): void {
    this.#openHead().write(end);
    this.#parts.shared.flushed = end;
  }

  /** Puts the head itself on the disk. */
  flushHead(): void {
    this.#openHead().flush();
  }

  /** Closes a segment before `first`: it has been cut, and keeps its space as long as it is open. */
  forget(first: number): void {
    if (this.#opened !== undefined && this.#opened.number < first) this.#closeSegment();
  }

  close(): void {
    this.#head?.close();
    this.#head = undefined;
    this.#closeSegment();
  }

  /** The descriptor of the last segment, to write to it. */
  descriptor(): number {
    const { files, folder, view } = this.#parts;
    const { number, name } = view.file;
    if (this.#opened?.number === number) return this.#opened.descriptor;
    this.#closeSegment();
    const descriptor = files.open(join(folder, name), 'write');
    this.#opened = { number, descriptor };
    return descriptor;
  }

  #makeRoom(bytes: number): void {
    const { shared, view } = this.#parts;
    const { state } = shared;
    if (state === LOG_STATE.writing || state === LOG_STATE.failed) this.#giveUpSegment(bytes);
    const { end } = shared.flushed;
    if (state === LOG_STATE.ready && (end + bytes <= this.#segmentBytes || end === view.framesAt)) return;
    if (state === LOG_STATE.ready) this.#seal();
    this.begin(view.ends);
  }

  /** Ends a full segment with its index. */
  #seal(): void {
    const { shared, view } = this.#parts;
    const body = encodeIndex(view.index, shared.flushed.end);
    this.#write({ kind: FRAME_KIND.index, chunks: [], body }, []);
    shared.state = LOG_STATE.full;
  }

  /**
   * A system that could not write or flush may drop the data and report nothing the next time. So nothing more goes into
   * the segment, and what lies beyond the flushed end is cut off. The next segment is begun only once the disk takes data:
   * the free space that it reports may be more than this process may use.
   */
  #giveUpSegment(bytes: number): void {
    const { files, folder, shared } = this.#parts;
    files.tryWriting(join(folder, `trial-${randomBytes(8).toString('hex')}`), bytes + TRIAL_BYTES);
    this.#cutOff(shared.flushed.end);
  }

  #write(parts: FrameParts, chunks: readonly Uint8Array[]): void {
    const { files, shared, view } = this.#parts;
    const { segment, end: position } = shared.flushed;
    const end = position + frameBytesOf(parts);
    const descriptor = this.descriptor();
    shared.state = LOG_STATE.writing;
    try {
      files.write(descriptor, [encodeHead(view.file.seed, position, parts), ...chunks], position);
      files.flush(descriptor);
      this.noteEnd({ segment, end });
    } catch (error) {
      shared.state = LOG_STATE.failed;
      this.#cutOff(position);
      throw error;
    }
    shared.state = LOG_STATE.ready;
    view.applyWritten(parts, position);
  }

  /** Gives back what a failed write took. If that fails too, what is left lies beyond the end and is not looked at. */
  #cutOff(end: number): void {
    try {
      this.#parts.files.truncate(this.descriptor(), end);
    } catch {
      // The next segment begins at the log's end all the same.
    }
  }

  #openHead(): Head {
    this.#head ??= new Head(this.#parts.files, this.#parts.folder);
    return this.#head;
  }

  #closeSegment(): void {
    if (this.#opened !== undefined) this.#parts.files.close(this.#opened.descriptor);
    this.#opened = undefined;
  }
}

function removeIfPossible(files: FileOperations, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next segment that is begun has its number, and removes it before.
  }
}
