import type { Appended, NewRecord, TopicPartition } from '../event-log.ts';

/** One call of `append`. */
export interface Append {
  readonly appended: Appended[];
  readonly bytes: number;
  deadlineMs: number;
  readonly resolve: (appended: readonly Appended[]) => void;
  readonly reject: (error: unknown) => void;
  unacknowledged: number;
  /** Given up. Its records that are not under way leave their queues. */
  isOver: boolean;
}

export interface PendingRecord {
  readonly append: Append;
  /** Its index in the append. */
  readonly index: number;
  readonly record: NewRecord;
  readonly bytes: number;
}

/** Of a record batch, with what its partition adds to the request. */
export const BATCH_OVERHEAD_BYTES = 128;
// Its lengths, differences of time and offset, and its count of headers, each as long as it may be.
const RECORD_OVERHEAD_BYTES = 36;

export function batchBytesOf({ key, value }: NewRecord): number {
  return key.byteLength + value.byteLength + RECORD_OVERHEAD_BYTES;
}

/** The records that wait for one partition, in order. The first ones are under way or failed; they go first again. */
export class PartitionQueue implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** Why its records are still here, where they were sent and not acknowledged. */
  fault: unknown;
  #pending: PendingRecord[] = [];
  #underWay = 0;
  #isPostponed = false;
  #turn = 0;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Whether it has records that may be sent now. */
  get isReady(): boolean {
    return this.#pending.length > 0 && this.#underWay === 0 && !this.#isPostponed;
  }

  get isPostponed(): boolean {
    return this.#isPostponed;
  }

  /** Which request took of it last. */
  get turn(): number {
    return this.#turn;
  }

  push(record: PendingRecord): void {
    this.#pending.push(record);
  }

  /** Takes a batch of at most so many bytes, one record at least. */
  begin(maxBytes: number, turn: number): readonly PendingRecord[] {
    let bytes = 0;
    let count = 0;
    for (const record of this.#pending) {
      bytes += record.bytes;
      if (bytes > maxBytes && count > 0) break;
      count++;
    }
    this.#underWay = count;
    this.#turn = turn;
    return this.#pending.slice(0, count);
  }

  /** What was under way is in the log. */
  acknowledge(): void {
    this.#pending = this.#pending.slice(this.#underWay);
    this.#underWay = 0;
    this.fault = undefined;
    this.drop();
  }

  /** What was under way may not be in the log: it goes first again, once resumed. */
  postpone(fault: unknown): void {
    this.#underWay = 0;
    this.#isPostponed = true;
    this.fault = fault;
    this.drop();
  }

  resume(): void {
    this.#isPostponed = false;
  }

  /** Lets go of what was given up. */
  drop(): void {
    const kept = this.#pending.filter(({ append }, i) => i < this.#underWay || !append.isOver);
    if (kept.length < this.#pending.length) this.#pending = kept;
  }
}
