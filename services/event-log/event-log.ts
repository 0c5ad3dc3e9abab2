/** The port of the event log. It moves bytes; it does not know messages. */
import type { Migration } from '../runtime/migrate.ts';

export interface EventLogOptions {
  /** The topics that will be appended to or read. Missing ones are created. */
  readonly topics: readonly string[];
  /**
   * Partitions of each of these topics. If left out, an existing topic keeps its number, and a new one gets that of the
   * others, or 4.
   */
  readonly partitions?: number | undefined;
  /** Whether a log on servers creates missing ones. Left out: it does. */
  readonly migration?: Migration;
}

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

/** A record in the log. One that was erased is blank, without key and value (`isBlank`). */
export interface LogRecord {
  readonly offset: bigint;
  /** When the log stored it: milliseconds since 1970, by the log's clock. */
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
 * A partition's next offset with the identity of the record before it (`identityOf`), '' where nothing has been read. So a
 * topic that was deleted and created again is detected and never silently skipped.
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

/** Part of a partition to be scanned: `from` inclusive, `to` exclusive. */
export interface ScanRange extends TopicPartition {
  readonly from: bigint;
  readonly to: bigint;
}

export interface ScanOptions {
  /** Records in one piece. A piece is of one partition. */
  readonly maxRecords?: number;
  /** Bytes of keys and values in one piece. A piece has at least one record. */
  readonly maxBytes?: number;
  /** Ends the scan: it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether it yields blank records too; it leaves them out by default. */
  readonly withBlank?: boolean | undefined;
}

/** Where a record is. */
export interface LogCoordinates extends TopicPartition {
  readonly offset: bigint;
}

export interface ReaderOptions {
  /**
   * Readers of one group share the topics. One member at a time reads a partition; when it leaves, another takes over.
   */
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Called whenever partitions are assigned to this reader, to say where each starts. The stores know; the position that
   * was committed to the log is only a hint. A partition left out, or at offset 0 with identity '', starts at its first
   * record.
   */
  readonly start: (assigned: readonly TopicPartition[]) => Promise<readonly Position[]>;
}

export interface PollOptions {
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Resolves empty after this long without records; 0 does not wait. */
  readonly maxWaitMs: number;
  /** Only records of these, of those assigned to the reader; of all by default. */
  readonly of?: readonly TopicPartition[] | undefined;
}

/**
 * Reads as a member of a group. Delivery is at least once: after a crash, a takeover or `restart`, records are redelivered
 * from where `start` says. A reader that lost a partition may still have records of it. The stores' fence
 * (POSITION_MOVED) protects against these.
 */
export interface LogReader {
  /**
   * The next records of the partitions assigned to this reader, each partition in order, fairly across partitions. Blank
   * ones are among them, so that its position passes them.
   *
   * @throws TidemarkError `LOG_REPLACED` where a start position names a record that is not in the log;
   *   `LOG_DAMAGED`; `LOG_UNAVAILABLE`, retryable.
   */
  poll(options: PollOptions): Promise<readonly PartitionRecords[]>;
  /** Tells the log how far the group has come: a hint for other tools, of which an embedded log has none. */
  commit(positions: readonly Position[]): Promise<void>;
  /** Discards its positions. The next poll calls `start` again for all assigned partitions. */
  restart(): void;
  /** The partitions assigned to it now. */
  assigned(): readonly TopicPartition[];
  /** Leaves the group. A poll in progress resolves empty. Idempotent. */
  close(): Promise<void>;
}

export interface EventLog {
  /**
   * Resolves, in the order given, once every record would survive a crash. If it rejects, some of them may still be in the
   * log: append them all again, and let readers drop repeats by their message id. Concurrent appends share one flush.
   * Records of one key in one call keep their order. Their bytes must not change until the promise is settled.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable, when the log cannot be reached or the disk is full.
   */
  append(records: readonly NewRecord[]): Promise<readonly Appended[]>;
  /**
   * Only of a log with a writer thread: loads a module in that thread whose `encodeRecords` encodes records, so that the
   * thread that answers requests need not.
   *
   * @throws whatever keeps the module from being loaded.
   */
  openEncoder?(module: URL): Promise<AppendEncoded>;
  openReader(options: ReaderOptions): Promise<LogReader>;
  /**
   * The records of these ranges, each partition in order, partitions in turn, without those that are blank. It needs no
   * group and moves no position. A range begins at the first record from `from` on. If `to` is beyond the partition's end, the range ends at the end known
   * when the first piece was requested. Besides some read-ahead, only what the caller consumes is read. Several scans may
   * run at once. Ending the iteration releases all resources.
   *
   * @param ranges At most one of each partition.
   * @throws TidemarkError `LOG_DAMAGED`; `LOG_REPLACED` where records not yet scanned were deleted; `CONFIG_INVALID`
   *   for a partition that the log does not have; `LOG_UNAVAILABLE`, retryable; `STOPPING` where the log is closed.
   */
  scan(ranges: readonly ScanRange[], options?: ScanOptions): AsyncIterable<PartitionRecords>;
  /** The offset of the first record in each partition of these topics; the end of a partition without records. */
  beginnings(topics: readonly string[]): Promise<readonly LogCoordinates[]>;
  /** The next offset of every partition of these topics. */
  ends(topics: readonly string[]): Promise<readonly LogCoordinates[]>;
  /**
   * Deletes records before these offsets, at most those: an embedded log deletes whole files, so it keeps some of them
   * unless all its records are to go. No reader may need them. Offsets stay, and so do all records of partitions that are
   * not named. Resolves once that is durable; on Kafka, a broker that dies within a minute may have the records again.
   * `beginnings` says what is left. May be repeated. If it rejects, some may be deleted.
   *
   * @param before At most one offset of each partition. One beyond the end is the end, as it is found first.
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable; `CONFIG_INVALID` for a partition that the log does not have;
   *   `LOG_DAMAGED`; `SERVER_DENIED`, `SERVER_TOO_OLD`; `STOPPING` where the log is closed.
   */
  cut(before: readonly LogCoordinates[]): Promise<void>;
  /**
   * Only of a log whose records can be overwritten: erases these records, at most a few hundred, whose bytes are in no file
   * of the log afterwards. They keep their offsets and are blank from then on. Appends wait meanwhile. Resolves once that
   * is durable, with the number of those that were not blank before. If it rejects, some may be blank.
   *
   * @throws TidemarkError `LOG_DAMAGED` or `LOG_REPLACED` where one of them is lost or was cut, and none is erased;
   *   `CONFIG_INVALID` for a partition that the log does not have; `LOG_UNAVAILABLE`, retryable.
   */
  erase?(places: readonly LogCoordinates[]): Promise<number>;
  /**
   * Only of a log on servers: for how many milliseconds a topic keeps a record at most, also one that is no part of the log;
   * null for ever, undefined where there is no such topic.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable.
   */
  keptMs?(topic: string): Promise<number | null | undefined>;
  /**
   * Only of a log on servers: the bytes that one copy of it takes on the brokers' disks, that of each partition's leader. With
   * tiered storage that is what is kept at the brokers. Null where the brokers do not tell it.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable.
   */
  storedBytes?(): Promise<number | null>;
  /** Resolves if the log can store a record now. @throws TidemarkError `LOG_UNAVAILABLE`. */
  check(): Promise<void>;
  /** Finishes the appends in progress, then closes the readers and the log. Idempotent. */
  close(): Promise<void>;
}

/**
 * A log that is filled with the records of another, or of a backup: with their offsets and times. Nobody else may append to
 * it meanwhile.
 */
export interface LogCopy extends Pick<EventLog, 'ends' | 'scan' | 'close'> {
  /**
   * Resolves once these records of one partition are durable, each at its offset and with its time.
   *
   * @param records In order, the first at the partition's end or beyond: the offsets in between have no record, or
   *   on Kafka a blank one.
   * @param end Where the partition is to end: the offsets behind the last record have none. Left out: behind it.
   * @throws TidemarkError `RESTORE_REFUSED` where a record cannot have its offset; `LOG_UNAVAILABLE`, retryable.
   */
  appendAt(partition: TopicPartition, records: readonly LogRecord[], end?: bigint): Promise<void>;
  /** Makes the log one that the service takes. To be called when all records are there; may be repeated. */
  finish(): Promise<void>;
}

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
  /** Opaque to the log. Called once the records are durable. @param appended Each record's, in their order. */
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
  /** How long its commit took, most of which is the disk's time. */
  readonly commitMs: number;
}

/** Settles as `EventLog.append` does; with null where the encoder failed or is not loaded, and nothing was appended. */
export type AppendEncoded = (job: EncodeJob) => Promise<EncodeResult | null>;
