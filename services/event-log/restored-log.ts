/** The port to a log that is filled from a backup. Nobody else may have it open. */
import type {
  LogRecord,
  PartitionRecords,
  LogCoordinates,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from './event-log.ts';

export interface RestoredTopic {
  readonly name: string;
  readonly partitions: number;
}

/** Records with the offsets and times that they are to have. */
export interface RestoredLog {
  /** The next offset of every partition. */
  ends(): Promise<readonly LogCoordinates[]>;
  /** What it holds, as `EventLog.scan`. */
  scan(ranges: readonly ScanRange[], options?: ScanOptions): AsyncIterable<PartitionRecords>;
  /**
   * Resolves once these records of one partition are durable, each at its offset and with its time.
   *
   * @param records In order, the first at the partition's end or beyond: the offsets in between have no record.
   * @throws TidemarkError `RESTORE_REFUSED` where a record cannot have its offset; `LOG_UNAVAILABLE`, retryable.
   */
  append(partition: TopicPartition, records: readonly LogRecord[]): Promise<void>;
  /**
   * Moves the partition's end to this offset: those in between have no record.
   *
   * @throws TidemarkError as `append`.
   */
  extend(partition: TopicPartition, end: bigint): Promise<void>;
  /** Makes the log one that the service takes. To be called when all records are there; may be repeated. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
