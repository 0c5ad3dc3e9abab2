/** What a log asks of the thread that writes for it, and what that thread answers. */
import type { ErrorCode } from '../../runtime/errors.ts';

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

/** Jobs for the record encoder that was loaded, whose records are to be appended. */
export interface EncodeRequest {
  readonly kind: 'encode';
  /** The jobs, one after the other. */
  readonly bytes: ArrayBuffer;
  readonly shared: readonly object[];
  /** Two numbers for each job: which of `shared` is its own, and its bytes. */
  readonly parts: readonly number[];
}

/** In place of a result's length. */
export const NOT_ENCODED = -1;

export interface EncodeOutcome {
  /** The results of all jobs, one after the other. */
  readonly results: string;
  /** The length of each result in UTF-16 code units, or NOT_ENCODED. */
  readonly lengths: readonly number[];
  readonly appendedAtMs: number;
  readonly commitMs: number;
  /** Given back, to be filled again. */
  readonly bytes: ArrayBuffer;
}

/** What goes into one commit with the other requests that wait. */
export type WriteRequest = AppendRequest | EncodeRequest | { readonly kind: 'check' };

export type DeletionRequest =
  /** Deletes records from the beginning (`SegmentStore.cut`). */
  | { readonly kind: 'cut'; readonly below: Float64Array; readonly most?: number }
  /** Erases records (`SegmentStore.erase`): the index of each one's partition, and its offset. */
  | { readonly kind: 'erase'; readonly records: readonly (readonly [partition: number, offset: number])[] };

export type WriterRequest =
  | WriteRequest
  | DeletionRequest
  /** Loads the module whose `encodeRecords` encodes records. */
  | { readonly kind: 'load'; readonly module: string }
  | { readonly kind: 'close' };

/** Where an append went, the results of encode jobs, how many records were erased, whether any were cut, or else true. */
export type ResultOf<Kind extends WriterRequest['kind']> = Kind extends 'append'
  ? AppendResult
  : Kind extends 'encode'
    ? EncodeOutcome
    : Kind extends 'erase'
      ? number
      : Kind extends 'cut'
        ? boolean
        : true;

export type WriterResult = ResultOf<WriterRequest['kind']>;

export interface Asked<Request = WriterRequest> {
  readonly id: number;
  readonly request: Request;
}

export type Answered =
  | { readonly id: number; readonly result: WriterResult }
  | { readonly id: number; readonly error: { readonly code: ErrorCode; readonly message: string } };

export interface WriterData {
  /** Where the log is. */
  readonly folder: string;
  /** The size of its segments; undefined for that of the process. */
  readonly segmentBytes?: number | undefined;
}
