import type { Appended, NewRecord, TopicPartition } from '../event-log.ts';

/** One call of `append`. */
export interface Append {
  readonly appended: Appended[];
  readonly bytes: number;
  deadlineMs: number;
  readonly resolve: (appended: readonly Appended[]) => void;
  readonly reject: (error: unknown) => void;
  unacknowledged: number;
  /** Given up. Its records leave their queues, unless they are being sent. */
  isOver: boolean;
}

export interface PendingRecord {
  readonly append: Append;
  /** Its index in the append. */
  readonly index: number;
  readonly record: NewRecord;
  readonly bytes: number;
}

/** Overhead of a record batch, with what its partition adds to the request. */
export const BATCH_OVERHEAD_BYTES = 128;
// Lengths, time and offset deltas and the number of headers, each at its maximum size.
const RECORD_OVERHEAD_BYTES = 36;

export function batchBytesOf({ key, value }: NewRecord): number {
  return key.byteLength + value.byteLength + RECORD_OVERHEAD_BYTES;
}

/**
 * The queued records of one partition, in order. The first ones may be in progress; if these fail, they are sent first
 * again.
 */
export class PartitionQueue implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** Why records that were sent were not acknowledged. */
  fault: unknown;
  #pending: PendingRecord[] = [];
  #inProgress = 0;
  #isPostponed = false;
  #turn = 0;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Whether it has records that may be sent now. */
  get isReady(): boolean {
    return this.#pending.length > 0 && this.#inProgress === 0 && !this.#isPostponed;
  }

  get isPostponed(): boolean {
    return this.#isPostponed;
  }

  /** The number of the last request with records of this queue. */
  get turn(): number {
    return this.#turn;
  }

  push(record: PendingRecord): void {
    this.#pending.push(record);
  }

  /** Begins a batch of at most this many bytes, with at least one record. */
  begin(maxBytes: number, turn: number): readonly PendingRecord[] {
    let bytes = 0;
    let count = 0;
    for (const record of this.#pending) {
      bytes += record.bytes;
      if (bytes > maxBytes && count > 0) break;
      count++;
    }
    this.#inProgress = count;
    this.#turn = turn;
    return this.#pending.slice(0, count);
  }

  /** The batch in progress is in the log. */
  acknowledge(): void {
    this.#pending = this.#pending.slice(this.#inProgress);
    this.#inProgress = 0;
    this.fault = undefined;
    this.drop();
  }

  /** The batch in progress may not be in the log. It is sent first again, once resumed. */
  postpone(fault: unknown): void {
    this.#inProgress = 0;
    this.#isPostponed = true;
    this.fault = fault;
    this.drop();
  }

  resume(): void {
    this.#isPostponed = false;
  }

  /** Removes the records of appends that were given up. */
  drop(): void {
    const kept = this.#pending.filter(({ append }, i) => i < this.#inProgress || !append.isOver);
    if (kept.length < this.#pending.length) this.#pending = kept;
  }
}
