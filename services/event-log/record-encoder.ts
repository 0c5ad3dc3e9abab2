/**
 * The port of a record encoder. Encoding takes time, which a log with a writer thread can spend there, and not on the
 * thread that answers requests.
 */
import type { Appended, NewRecord } from './event-log.ts';

/** What records are encoded from that are appended as one. */
export interface EncodeJob {
  /** What it has in common with other jobs, of types that can be cloned: sent once for all jobs of a batch that share it. */
  readonly shared: object;
  readonly length: number;
  /** Writes its bytes, `length` of them. */
  write(target: Buffer, at: number): void;
}

export interface EncodedRecords {
  /** Empty where nothing is to be appended. */
  readonly records: readonly NewRecord[];
  /** Opaque to the log. Called once the records are durable. @param appended One for each record, in their order. */
  readonly result: (appended: readonly Appended[]) => string;
}

/**
 * A module's export `encodeRecords`. Where it throws, nothing is appended for the job. The bytes may be reused once it
 * has returned.
 */
export type RecordEncoder = (shared: unknown, bytes: Buffer) => EncodedRecords;

/** The result of a job whose records are durable. */
export interface EncodeResult {
  readonly result: string;
  readonly appendedAtMs: number;
}

/** Settles as `EventLog.append` does; with null where the encoder failed or is not loaded, and nothing was appended. */
export type AppendEncoded = (job: EncodeJob) => Promise<EncodeResult | null>;
