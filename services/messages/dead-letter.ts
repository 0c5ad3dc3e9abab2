import type { Micros } from './message.ts';

/** A record that a reader could not process, whole, and why. */
export interface DeadLetter {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** What the reader could not do, in words. */
  readonly error: string;
  readonly failedAt: Micros;
  /** `projector` or `sink`. */
  readonly reader: string;
}

/** The first dead letter of a message that waits. */
export interface WaitingLetter {
  /** `topic/partition/offset` of the message. */
  readonly id: string;
  readonly topic: string;
  /** Null if the message cannot be decoded. */
  readonly projectId: string | null;
  /** That of the error; null where it has none. */
  readonly code: string | null;
  /** Its first 500 characters. */
  readonly error: string;
  readonly reader: string;
  readonly failedAt: Micros;
  /** When it was appended, by the log's clock: milliseconds since 1970. */
  readonly appendedAtMs: number;
}
