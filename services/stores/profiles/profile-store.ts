import type { Position, TopicPartition } from '../../event-log/event-log.ts';
import type { Hour } from '../../messages/day-and-hour.ts';

/** The two readers of the log that keep positions. */
export type ReaderName = 'projector' | 'sink';

/**
 * A message that sets traits and whose id the caller gave: the first of its identity counts, whatever a later copy
 * says. The identity is (projectId, topic, userKey, messageId), its place (partition, offset).
 */
export interface Claim extends TopicPartition {
  readonly projectId: string;
  readonly userKey: string;
  readonly messageId: string;
  readonly offset: bigint;
  /** When the log stored it: it is remembered from then on at least, whatever the clock of the store says. */
  readonly appendedAtMs: number;
}

/** A step of a reader over one partition: from its position to its next one. */
export interface ReaderStep {
  readonly from: Position;
  readonly to: Position;
  /** Offsets between them of which nothing is stored; none by default. */
  readonly unstored?: readonly bigint[];
}

/** How many messages of a partition that are of a project and arrived within an hour were applied. */
export interface AppliedCount extends TopicPartition {
  readonly projectId: string;
  readonly hour: Hour;
  /** That count. */
  readonly messages: number;
  /** Repeats of earlier messages: passed, and left out. */
  readonly repeats: number;
}

/** A range of one partition that one insert covers; fixed before the insert, so that a crash repeats the same one. */
export interface Plan extends ReaderStep {
  /** Whether the insert is known to have been done. */
  readonly inserted: boolean;
}
