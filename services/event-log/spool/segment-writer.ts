import { type FileHandle, open, rm } from 'node:fs/promises';
import { flushFolder } from '../flush-folder.ts';
import { type Segment, segmentPath } from './segments.ts';

/** Writes a segment. One write at a time. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly #file: FileHandle;

  private constructor(segment: Segment, file: FileHandle) {
    this.segment = segment;
    this.#file = file;
  }

  /** Resolves once the empty file would survive a power cut. */
  static async begin(folder: string, number: number): Promise<SegmentWriter> {
    const path = segmentPath(folder, number);
    const file = await open(path, 'wx', 0o600);
    try {
      await flushFolder(folder);
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
    return new SegmentWriter({ number, path, bytes: 0, messages: 0, firstAtMs: undefined }, file);
  }

  /** Resolves once the frames are on disk. If it rejects, nothing more may be written: see `abandon`. */
  async write(frames: Buffer, messages: number, firstAtMs: number): Promise<void> {
    for (let done = 0; done < frames.length;) {
      const { bytesWritten } = await this.#file.write(frames, done, undefined, this.segment.bytes + done);
      done += bytesWritten;
    }
    await this.#file.datasync();
    this.segment.bytes += frames.length;
    this.segment.messages += messages;
    this.segment.firstAtMs ??= firstAtMs;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /**
   * Closes the segment after a failed write. What a failed flush leaves in the page cache and on disk is unknown, so nothing
   * more is written to this file, and what is not known to be safe is truncated, if possible.
   */
  async abandon(): Promise<void> {
    await this.#file.truncate(this.segment.bytes).catch(() => undefined);
    await this.#file.close().catch(() => undefined);
    if (this.segment.bytes === 0) await rm(this.segment.path, { force: true }).catch(() => undefined);
  }
}
