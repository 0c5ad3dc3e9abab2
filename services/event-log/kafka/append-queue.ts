import { TidemarkError } from '../../runtime/errors.ts';
import type { Appended, NewRecord } from '../event-log.ts';
import { failureOf, faultOf, KAFKA } from './faults.ts';
import {
  type Append,
  BATCH_OVERHEAD_BYTES,
  PartitionQueue,
  type PendingRecord,
  batchBytesOf,
} from './partition-queue.ts';
import type { Leaders } from './leaders.ts';
import type { Layout } from './partitions.ts';
import type { KafkaWire, Produced } from './wire.ts';
import { nameOf, partitionOf } from '../partition.ts';

export interface AppendQueueOptions {
  readonly layout: Layout;
  readonly wire: Pick<KafkaWire, 'produce'>;
  readonly leaders: Pick<Leaders, 'of' | 'refresh'>;
  /** The limit of the topics: `max.message.bytes`. */
  readonly maxBatchBytes: number;
  /** For how long a record is resent before its append is given up. */
  readonly patienceMs?: number;
  /** Bytes of all records that wait or are being sent. Past it, appends are refused at once. */
  readonly maxBufferedBytes?: number;
  /** Wait before the first resend. Later ones wait longer. */
  readonly firstWaitMs?: number;
}

// Longer than an election (5 to 10 s), and short enough for a caller that waits for the answer.
const APPEND_TIMEOUT_MS = 15_000;
const MAX_BUFFERED_BYTES = 128 * 2 ** 20;
/** All batches of one request together; the brokers' `socket.request.max.bytes` is 100 MB. */
const MAX_REQUEST_BYTES = 8 * 2 ** 20;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1_000;

/**
 * The appends of one process. The records of a partition wait in one queue and leave it when a broker acknowledges them.
 * Until then they are resent, and no later record of that partition is sent before them. At most one request to each broker
 * is in progress. What arrives meanwhile goes into the next one, without a timer.
 */
export class AppendQueue {
  readonly #layout: Layout;
  readonly #wire: AppendQueueOptions['wire'];
  readonly #leaders: AppendQueueOptions['leaders'];
  readonly #maxBatchBytes: number;
  readonly #patienceMs: number;
  readonly #maxBufferedBytes: number;
  readonly #queues = new Map<string, PartitionQueue>();
  /** The brokers with a request in progress. */
  readonly #busy = new Set<number>();
  /** In the order of their deadlines. */
  readonly #appends = new Set<Append>();
  readonly #finished: (() => void)[] = [];
  #bufferedBytes = 0;
  #requests = 0;
  #willPump = false;
  #willRefresh = false;
  readonly #firstWaitMs: number;
  #waitMs: number;

  constructor(options: AppendQueueOptions) {
    this.#layout = options.layout;
    this.#wire = options.wire;
    this.#leaders = options.leaders;
    this.#maxBatchBytes = options.maxBatchBytes - BATCH_OVERHEAD_BYTES;
    this.#patienceMs = options.patienceMs ?? APPEND_TIMEOUT_MS;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? MAX_BUFFERED_BYTES;
    this.#firstWaitMs = this.#waitMs = options.firstWaitMs ?? FIRST_WAIT_MS;
  }

  /**
   * @throws TidemarkError `CONFIG_INVALID` for a topic that was not given on opening; `LOG_UNAVAILABLE` where too many
   *   bytes are queued already; RangeError for a record that no batch can hold.
   */
  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    const queues = records.map((record) => this.#queueOf(record));
    const bytes = records.reduce((sum, record) => sum + this.#sizeOf(record), 0);
    if (this.#bufferedBytes + bytes > this.#maxBufferedBytes && this.#bufferedBytes > 0) {
      throw new TidemarkError('LOG_UNAVAILABLE', `${this.#bufferedBytes} bytes wait for Kafka already`);
    }
    return new Promise((resolve, reject) => {
      const deadlineMs = performance.now() + this.#patienceMs;
      const append = {
        appended: [],
        unacknowledged: records.length,
        bytes,
        deadlineMs,
        isOver: false,
        resolve,
        reject,
      };
      this.#appends.add(append);
      this.#bufferedBytes += bytes;
      for (const [index, record] of records.entries()) {
        (queues[index] as PartitionQueue).push({ append, index, record, bytes: batchBytesOf(record) });
      }
      this.#pumpSoon();
    });
  }

  /** Resolves once every append is settled. After this time, the remaining ones are given up. Never rejects. */
  async finish(withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    for (const append of this.#appends) append.deadlineMs = Math.min(append.deadlineMs, deadlineMs);
    const timer = setTimeout(() => this.#pump(), withinMs + 1);
    if (this.#appends.size > 0) await new Promise<void>((resolve) => this.#finished.push(resolve));
    clearTimeout(timer);
  }

  #queueOf({ topic, key }: NewRecord): PartitionQueue {
    const partition = partitionOf(key, this.#layout.count(topic));
    const name = nameOf({ topic, partition });
    let queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, (queue = new PartitionQueue(topic, partition)));
    return queue;
  }

  #sizeOf(record: NewRecord): number {
    const size = batchBytesOf(record);
    if (size <= this.#maxBatchBytes) return size;
    throw new RangeError(`a record of ${size} bytes is more than the ${this.#maxBatchBytes} that the topics take`);
  }

  /** After this turn of the event loop, so that everything that arrives in it is included. */
  #pumpSoon(): void {
    if (this.#willPump) return;
    this.#willPump = true;
    setImmediate(() => {
      this.#willPump = false;
      this.#pump();
    });
  }

  #pump(): void {
    this.#expire();
    const requests = new Map<number, PartitionQueue[]>();
    let mustRefresh = false;
    for (const queue of this.#queues.values()) {
      if (queue.isPostponed) mustRefresh = true;
      if (!queue.isReady) continue;
      const leader = this.#leaders.of(queue);
      if (leader === undefined) queue.postpone(faultOf(KAFKA.LEADER_NOT_AVAILABLE, `appending to ${nameOf(queue)}`));
      else if (!this.#busy.has(leader)) requests.set(leader, [...(requests.get(leader) ?? []), queue]);
      mustRefresh ||= leader === undefined;
    }
    for (const [leader, queues] of requests) void this.#send(leader, this.#nextBatches(queues));
    if (mustRefresh) this.#refreshSoon();
    if (this.#appends.size === 0) for (const resolve of this.#finished.splice(0)) resolve();
  }

  /** A batch of each queue, as many as fit into one request. The others come first in the next one. */
  #nextBatches(queues: readonly PartitionQueue[]): readonly QueuedBatch[] {
    const turn = ++this.#requests;
    const batches: QueuedBatch[] = [];
    let bytes = 0;
    for (const queue of queues.toSorted((one, other) => one.turn - other.turn)) {
      if (bytes >= MAX_REQUEST_BYTES) break;
      const records = queue.begin(this.#maxBatchBytes, turn);
      bytes += records.reduce((sum, one) => sum + one.bytes, 0);
      batches.push({ queue, records });
    }
    return batches;
  }

  async #send(leader: number, batches: readonly QueuedBatch[]): Promise<void> {
    this.#busy.add(leader);
    try {
      const requests = batches.map(({ queue: { topic, partition }, records }) => {
        return { topic, partition, records: records.map(({ record }) => record) };
      });
      const answers = new Map((await this.#wire.produce(leader, requests)).map((one) => [nameOf(one), one]));
      for (const { queue, records } of batches) this.#acknowledge(queue, records, answers.get(nameOf(queue)));
    } catch (error) {
      for (const { queue } of batches) queue.postpone(error);
    }
    this.#busy.delete(leader);
    this.#pump();
  }

  /** A partition missing from the answer was not acknowledged. */
  #acknowledge(queue: PartitionQueue, records: readonly PendingRecord[], answer: Produced | undefined): void {
    const error = answer === undefined ? KAFKA.REQUEST_TIMED_OUT : answer.error;
    if (answer === undefined || error !== 0) {
      queue.postpone(faultOf(error, `appending to ${nameOf(queue)}`));
      return;
    }
    this.#waitMs = this.#firstWaitMs;
    const { topic, partition } = queue;
    const { baseOffset, appendedAtMs } = answer;
    for (const [i, { append, index }] of records.entries()) {
      append.appended[index] = { topic, partition, offset: baseOffset + BigInt(i), appendedAtMs };
      append.unacknowledged--;
      if (append.unacknowledged === 0 && !append.isOver) this.#end(append, () => append.resolve(append.appended));
    }
    queue.acknowledge();
  }

  /** After a wait, refreshes the leaders and resends what was postponed. */
  #refreshSoon(): void {
    if (this.#willRefresh) return;
    this.#willRefresh = true;
    setTimeout(() => void this.#refresh(), this.#waitMs * (0.75 + Math.random() / 2));
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }

  async #refresh(): Promise<void> {
    // If no broker answers, the known leaders are tried again.
    await this.#leaders.refresh().catch(() => undefined);
    this.#willRefresh = false;
    for (const queue of this.#queues.values()) queue.resume();
    this.#pump();
  }

  /** Gives up appends whose deadline has passed. Their records may still be in the log. */
  #expire(): void {
    const nowMs = performance.now();
    let expired = false;
    for (const append of this.#appends) {
      if (append.deadlineMs > nowMs) break;
      append.isOver = expired = true;
      const fault = [...this.#queues.values()].find((queue) => queue.fault !== undefined)?.fault;
      this.#end(append, () => append.reject(failureOf(fault ?? new Error('no answer in time'), 'to take an append')));
    }
    if (expired) for (const queue of this.#queues.values()) queue.drop();
  }

  #end(append: Append, finish: () => void): void {
    this.#appends.delete(append);
    this.#bufferedBytes -= append.bytes;
    finish();
  }
}

interface QueuedBatch {
  readonly queue: PartitionQueue;
  readonly records: readonly PendingRecord[];
}
