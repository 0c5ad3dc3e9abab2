import { sealChunk, seedOf } from './chunk.ts';
import type { LogPartition } from './layout.ts';
import type { StoreTransaction } from '../store.ts';
import { type ChunkEntry, FRAME_KIND, type FrameParts } from './frame.ts';
import type { CommitBody, LogView } from './log-view.ts';

/** Gathers what one frame is to have. */
export class SegmentTransaction implements StoreTransaction {
  /** The bytes of the chunks, in the order of the frame's. */
  readonly chunks: Buffer[] = [];
  readonly #view: LogView;
  readonly #beginnings: () => Float64Array;
  readonly #ends: number[];
  readonly #entries: Omit<ChunkEntry, 'position'>[] = [];
  readonly #notes = new Map<string, unknown>();

  constructor(view: LogView, beginnings: () => Float64Array) {
    this.#view = view;
    this.#beginnings = beginnings;
    this.#ends = [...view.ends];
  }

  append(partition: LogPartition, chunk: Buffer, count: number, appendedAtMs: number): number {
    const { index } = partition;
    const first = this.#ends[index] as number;
    sealChunk(chunk, count, appendedAtMs, seedOf(partition, first));
    this.chunks.push(chunk);
    this.#entries.push({ partition: index, first, count, length: chunk.length });
    this.#ends[index] = first + count;
    return first;
  }

  putNote(name: string, value: unknown): void {
    this.#notes.set(name, value);
  }

  ends(): Float64Array {
    return Float64Array.from(this.#ends);
  }

  beginnings(): Float64Array {
    return this.#beginnings();
  }

  note<T>(name: string): T | undefined {
    return (this.#notes.has(name) ? this.#notes.get(name) : this.#view.notes.get(name)) as T | undefined;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#notes.size === 0;
  }

  parts(): FrameParts {
    const body = this.#notes.size === 0 ? '' : encodeBody({ notes: Object.fromEntries(this.#notes) });
    return { kind: FRAME_KIND.commit, chunks: this.#entries, body: Buffer.from(body) };
  }
}

export function encodeBody(body: CommitBody): string {
  return JSON.stringify(body);
}
