/**
 * Records that are made where they are written. What makes them takes time, which a log with a thread of its own for
 * writing need not take from the thread that answers requests.
 */
import type { Appended, NewRecord } from './event-log.ts';

/** What records are made of that are appended as one. */
export interface Material {
  /** What it has in common with others, of types that can be cloned: one object goes over once for all of a batch. */
  readonly shared: object;
  readonly length: number;
  /** Writes its bytes, `length` of them. */
  write(target: Buffer, at: number): void;
}

export interface MadeRecords {
  /** At least one. */
  readonly records: readonly NewRecord[];
  /** What is to be said of them once they are safe. @param appended Of each record, in their order. */
  readonly report: (appended: readonly Appended[]) => string;
}

/**
 * A module's export `makeRecords`. Undefined where it makes none of these bytes; where it throws none are made either.
 * The bytes are its own until it returns.
 */
export type RecordMaker = (shared: unknown, bytes: Buffer) => MadeRecords | undefined;

/** Records that were made and are safe. */
export interface MadeAppend {
  readonly report: string;
  readonly appendedAtMs: number;
}

/** Settles as `EventLog.append` does, with null where no records were made and nothing was written. */
export type AppendMaterial = (material: Material) => Promise<MadeAppend | null>;
