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
