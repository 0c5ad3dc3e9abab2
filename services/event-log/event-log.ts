/** The port of the event log. It moves bytes; it does not know messages. */

import type { AppendEncoded } from './record-encoder.ts';

/** A partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A record to be appended. The log chooses the partition from the key (murmur2, as the Java client does). */
export interface NewRecord {
  readonly topic: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A record as it stands in the log. */
export interface LogRecord {
  readonly offset: bigint;
  /** When the log took it: milliseconds since 1970, by the log's clock. */
  readonly appendedAtMs: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Where a record went. */
export interface Appended extends TopicPartition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

/**
 * A partition's next offset with the identity of the record before it (`identityOf`), '' where nothing has been read:
 * a topic deleted and made anew is found out, never silently skipped.
 */
export interface Position extends TopicPartition {
  /** The offset to read next. Positions never move back; offsets may have gaps. */
  readonly offset: bigint;
  readonly identity: string;
}

/** Consecutive records of one partition, oldest first; never empty. */
export interface PartitionRecords extends TopicPartition {
  readonly records: readonly LogRecord[];
}

/** Part of a partition to be scanned: from the first offset on, up to the second without it. */
export interface ScanRange extends TopicPartition {
  readonly from: bigint;
  readonly to: bigint;
}

export interface ScanOptions {
  /** In one piece, of one partition. */
  readonly maxRecords?: number;
  /** Of keys and values, in one piece; a piece has one record at least. */
  readonly maxBytes?: number;
  /** Ends the scan: it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReaderOptions {
  /** Readers of one group share the topics: a partition is read by one member at a time, another takes over. */
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Called whenever partitions become this reader's: where to start each. The stores know; the log's own committed
   * position is only a hint. A partition left out, or at offset 0 with identity '', starts at its first record.
   */
  readonly start: (assigned: readonly TopicPartition[]) => Promise<readonly Position[]>;
}

export interface PollOptions {
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Resolves empty after this long without records; 0 does not wait. */
  readonly maxWaitMs: number;
}

/**
 * Reads as a member of a group. Delivery is at least once: after a crash, a takeover or `restart`, records come again
 * from where `start` says. A reader that lost a partition may still hold records of it: the stores' fence
 * (POSITION_MOVED) protects them.
 */
export interface LogReader {
  /**
   * The next records of the partitions this reader holds, each partition in order, fairly across partitions.
   *
   * @throws TidemarkError `LOG_REPLACED` where a start position names a record that the log does not hold;
   *   `LOG_DAMAGED`; `LOG_UNAVAILABLE`, retryable.
   */
  poll(options: PollOptions): Promise<readonly PartitionRecords[]>;
  /** Tells the group how far it has come. Only a hint, for lag metrics and foreign tools. */
  commit(positions: readonly Position[]): Promise<void>;
  /** Forgets where it stands and asks `start` again for everything it holds, at the next poll. */
  restart(): void;
  /** The partitions it holds now. */
  assigned(): readonly TopicPartition[];
  /** Leaves the group; a poll under way resolves empty. Idempotent. */
  close(): Promise<void>;
}

export interface EventLog {
  /**
   * Resolves, in the order given, once every record would survive a crash. If it rejects, some of them may be in the
   * log all the same: append them all again, and let readers drop repeats by their message id. Appends under way at
   * once share one flush. Records of one key in one call keep their order. Their bytes must not change until it settles.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable, when the log cannot be reached or the disk is full.
   */
  append(records: readonly NewRecord[]): Promise<readonly Appended[]>;
  /**
   * Only of a log that writes in a thread of its own: loads a module there whose export
   * `encodeRecords` encodes records; see record-encoder.ts.
   *
   * @throws whatever keeps the module from being loaded.
   */
  openEncoder?(module: URL): Promise<AppendEncoded>;
  openReader(options: ReaderOptions): Promise<LogReader>;
  /**
   * The records of these ranges, each partition in order, partitions in turn; as no member of a group, and without
   * moving any position. Of each range comes what the log holds: it begins at the first record from `from` on, and where
   * `to` lies beyond the partition's end, it ends at the end known when the first piece was asked for. What is not taken
   * is not read, but for some read-ahead. Several scans may go on at once; ending the iteration lets go of everything.
   *
   * @param ranges Of each partition one at most.
   * @throws TidemarkError `LOG_DAMAGED`; `LOG_REPLACED` where records are deleted that were yet to come; `CONFIG_INVALID`
   *   for a partition that the log does not have; `LOG_UNAVAILABLE`, retryable; `STOPPING` where the log is closed.
   */
  scan(ranges: readonly ScanRange[], options?: ScanOptions): AsyncIterable<PartitionRecords>;
  /** The offset of the first record that each partition of these topics holds; its end where it holds none. */
  beginnings(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]>;
  /** The next offset of every partition of these topics: where the log ends now. */
  ends(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]>;
  /** What a group last committed; empty for a group never heard of. */
  committed(group: string): Promise<readonly Position[]>;
  /** Resolves when the log can take a record now. @throws TidemarkError `LOG_UNAVAILABLE`. */
  check(): Promise<void>;
  /** Finishes appends under way, closes readers, then the log. Idempotent. */
  close(): Promise<void>;
}
