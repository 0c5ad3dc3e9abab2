/** What a log asks of the thread that writes for it, and what that thread answers. */
import type { ErrorCode } from '../../runtime/errors.ts';
import type { Position } from '../event-log.ts';

/** A run of records for one slot, at its place in the batch's bytes; the chunk's header is still blank. */
export interface PackedChunk {
  readonly slot: number;
  readonly at: number;
  readonly length: number;
  readonly count: number;
}

export interface AppendRequest {
  readonly kind: 'append';
  readonly bytes: ArrayBuffer;
  /** Those of one slot stand together, in order. */
  readonly chunks: readonly PackedChunk[];
}

export interface AppendResult {
  /** The offset that the first record of each chunk took. */
  readonly offsets: readonly number[];
  readonly appendedAtMs: number;
  /** Given back, to be filled again. */
  readonly bytes: ArrayBuffer;
}

/** Records to be made by the module that was loaded, and appended. */
export interface MakeRequest {
  readonly kind: 'make';
  /** The materials, one after the other. */
  readonly bytes: ArrayBuffer;
  readonly shared: readonly object[];
  /** Of each material two numbers: which of `shared` is its own, and its bytes. */
  readonly parts: readonly number[];
}

/** In place of a report's length. */
export const NOT_MADE = -1;

export interface MakeResult {
  /** What is to be said of what each material gave, one after the other. */
  readonly reports: string;
  /** Of each report in UTF-16 code units, or NOT_MADE. */
  readonly lengths: readonly number[];
  readonly appendedAtMs: number;
  /** Given back, to be filled again. */
  readonly bytes: ArrayBuffer;
}

export type WriteRequest =
  | AppendRequest
  | MakeRequest
  | { readonly kind: 'commit'; readonly group: string; readonly positions: readonly Position[] }
  | { readonly kind: 'check' };

/** Of an append where it went; of records to be made what became of them; else true. */
export type WriteResult = AppendResult | MakeResult | true;

/** Loads the module whose `makeRecords` makes records. */
export interface LoadRequest {
  readonly kind: 'load';
  readonly module: string;
}

export interface Asked {
  readonly id: number;
  readonly request: WriteRequest | LoadRequest | { readonly kind: 'close' };
}

export type Answered =
  | { readonly id: number; readonly result: WriteResult }
  | { readonly id: number; readonly error: { readonly code: ErrorCode; readonly message: string } };

export interface WriterData {
  readonly folder: string;
  /** Of the gate that the thread's transactions pass. */
  readonly gate: SharedArrayBuffer;
}
