import { sealChunk, seedOf } from './chunk.ts';
import type { LogPartition } from './layout.ts';
import { type ChunkEntry, FRAME_KIND, type FrameParts } from './frame.ts';
import type { CommitBody, LogView } from './log-view.ts';

/** Gathers what one frame is to have. All of it is durable once the frame is written, or nothing is in the log. */
export class SegmentTransaction {
  /** The bytes of the chunks, in the order of the frame's. */
  readonly chunks: Buffer[] = [];
  readonly #ends: number[];
  readonly #entries: Omit<ChunkEntry, 'position'>[] = [];
  readonly #notes = new Map<string, unknown>();

  constructor(view: LogView) {
    this.#ends = [...view.ends];
  }

  /**
   * Appends a chunk whose records are written to its partition, and fills in its header (`sealChunk`). Its memory must
   * not change until the transaction has ended. Returns the offset of its first record, which is the partition's end
   * before.
   */
  append(partition: LogPartition, chunk: Buffer, count: number, appendedAtMs: number): number {
    const { index } = partition;
    const first = this.#ends[index] as number;
    sealChunk(chunk, count, appendedAtMs, seedOf(partition, first));
    this.chunks.push(chunk);
    this.#entries.push({ partition: index, first, count, length: chunk.length });
    this.#ends[index] = first + count;
    return first;
  }

  /** Stores a value, as JSON, in place of the one of this name. */
  putNote(name: string, value: unknown): void {
    this.#notes.set(name, value);
  }

  /** Those of the chunks. */
  get bytes(): number {
    return this.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#notes.size === 0;
  }

  parts(): FrameParts {
    const body = this.#notes.size === 0 ? undefined : { notes: Object.fromEntries(this.#notes) };
    return { ...bodyAlone(body), chunks: this.#entries };
  }
}

/** A commit without chunks. */
export function bodyAlone(body: CommitBody | undefined): FrameParts {
  const json = body === undefined ? '' : JSON.stringify(body);
  return { kind: FRAME_KIND.commit, chunks: [], body: Buffer.from(json) };
}
