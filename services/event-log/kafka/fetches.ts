import type { LogRecord, PartitionRecords, PollOptions, TopicPartition } from '../event-log.ts';
import { isBlank } from '../blank.ts';
import { identityOf } from '../identity.ts';
import { faultOf, KAFKA, type Trouble } from './faults.ts';
import type { Leaders } from './leaders.ts';
import type { FetchStart } from '../start.ts';
import { isAmong, nameOf } from '../partition.ts';
import { replaced } from '../refusals.ts';
import { type Share, takeEvenly } from '../take-evenly.ts';
import type { Fetched, KafkaWire } from './wire.ts';

/** A partition that is read: the records that were fetched and not yet consumed. */
export interface PartitionBuffer extends TopicPartition {
  readonly records: LogRecord[];
  bufferedBytes: number;
  /** The offset to fetch next. */
  next: bigint;
  /** Identity that the record at `next` must have. Undefined once it was checked. */
  identity: string | undefined;
  /** Where reading ends, exclusive. */
  readonly to: bigint | undefined;
  isBusy: boolean;
}

// Limits of what is buffered, of each partition and of all. They can be exceeded by one fetch.
const PARTITION_BYTES = 2 * 2 ** 20;
const TOTAL_BYTES = 32 * 2 ** 20;
const FETCH_BYTES = 2 ** 20;

// How long a fetch waits for records. A partition whose buffer is consumed meanwhile waits for the fetch in progress, so
// the wait is short while the buffer of any partition is full.
const LONG_WAIT_MS = 300;
const SHORT_WAIT_MS = 10;
const FETCH_RETRY_MS = 150;

/** Reads ahead, with one fetch in progress to each broker, until it is stopped or fails. */
export class Fetches {
  readonly buffers: PartitionBuffer[];
  /** An error that is not retryable. */
  failure: unknown;
  /** Why no records arrive now; undefined while they do. */
  trouble: Trouble | undefined;
  readonly #wire: Pick<KafkaWire, 'fetch'>;
  readonly #leaders: Leaders;
  readonly #changed: () => void;
  readonly #busy = new Set<number>();
  #isStopped = false;
  #isPausing = false;

  constructor(
    parts: { readonly wire: Pick<KafkaWire, 'fetch'>; readonly leaders: Leaders },
    entries: readonly FetchStart[],
    changed: () => void,
  ) {
    this.#wire = parts.wire;
    this.#leaders = parts.leaders;
    this.#changed = changed;
    this.buffers = entries.map(({ topic, partition, from, identity, to }) => {
      return { topic, partition, records: [], bufferedBytes: 0, next: from, identity, to, isBusy: false };
    });
    this.pump();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Fetches for all buffers that are not full. To be called after consuming records. */
  pump(): void {
    if (this.#isStopped || this.#isPausing || this.failure !== undefined) return;
    const total = this.buffers.reduce((sum, { bufferedBytes }) => sum + bufferedBytes, 0);
    const reading = this.buffers.filter((buffer) => !isAtEnd(buffer));
    const wanted = reading.filter((buffer) => {
      return (
        !buffer.isBusy &&
        (buffer.bufferedBytes === 0 || (buffer.bufferedBytes < PARTITION_BYTES && total < TOTAL_BYTES))
      );
    });
    if (wanted.some((buffer) => this.#leaders.of(buffer) === undefined))
      this.#retry(faultOf(KAFKA.LEADER_NOT_AVAILABLE, 'reading'));
    const waitMs = reading.some((buffer) => !buffer.isBusy && !wanted.includes(buffer)) ? SHORT_WAIT_MS : LONG_WAIT_MS;
    for (const [leader, buffers] of this.#leaders.group(wanted)) {
      if (!this.#busy.has(leader)) void this.#fetch(leader, buffers, waitMs);
    }
  }

  /** Takes records from all buffers that have some, about evenly. */
  take({ of, ...limits }: Pick<PollOptions, 'maxRecords' | 'maxBytes' | 'of'>): readonly PartitionRecords[] {
    const waiting = this.buffers.filter((buffer) => buffer.records.length > 0 && isAmong(of, buffer));
    return takeEvenly(this.buffers, waiting, limits, takeFrom);
  }

  async #fetch(leader: number, buffers: readonly PartitionBuffer[], waitMs: number): Promise<void> {
    this.#busy.add(leader);
    for (const buffer of buffers) buffer.isBusy = true;
    try {
      const from = buffers.map(({ topic, partition, next }) => {
        return { topic, partition, offset: next, maxBytes: FETCH_BYTES };
      });
      const fetched = await this.#wire.fetch(leader, from, waitMs);
      if (!this.#isStopped) this.#receive(buffers, fetched);
    } catch (error) {
      if (!this.#isStopped) this.#retry(error);
    }
    this.#busy.delete(leader);
    for (const buffer of buffers) buffer.isBusy = false;
    this.pump();
  }

  #receive(buffers: readonly PartitionBuffer[], fetched: readonly Fetched[]): void {
    const found = new Map(buffers.map((buffer) => [nameOf(buffer), buffer]));
    let fault: unknown;
    for (const one of fetched) {
      const buffer = found.get(nameOf(one));
      if (buffer === undefined) continue;
      if (one.error === 0) this.#buffer(buffer, one);
      else if (one.error === KAFKA.OFFSET_OUT_OF_RANGE)
        this.#fail(replaced({ ...buffer, offset: buffer.next }, 'it is out of range'));
      else fault = faultOf(one.error, `reading ${nameOf(one)}`);
    }
    if (fault === undefined) this.trouble = undefined;
    else this.#retry(fault);
    this.#changed();
  }

  #buffer(buffer: PartitionBuffer, { records, nextOffset }: Fetched): void {
    if (nextOffset === undefined || nextOffset <= buffer.next) return;
    let fresh = records;
    if (buffer.identity !== undefined) {
      const [first] = records;
      const isThere = first?.offset === buffer.next && (isBlank(first) || identityOf(first) === buffer.identity);
      if (!isThere)
        return this.#fail(replaced({ ...buffer, offset: buffer.next + 1n }, 'the record before it is another one'));
      buffer.identity = undefined;
      fresh = records.slice(1);
    }
    buffer.next = nextOffset;
    for (const record of fresh) {
      if (buffer.to !== undefined && record.offset >= buffer.to) break;
      buffer.records.push(record);
      buffer.bufferedBytes += weightOf(record);
    }
  }

  #fail(failure: unknown): void {
    this.failure ??= failure;
    this.#changed();
  }

  /** After a fault: refreshes the leaders and continues a moment later. */
  #retry(fault: unknown): void {
    this.trouble ??= { fault, sinceMs: performance.now() };
    if (this.#isPausing) return;
    this.#isPausing = true;
    setTimeout(() => {
      void this.#leaders
        .refresh()
        .catch((error: unknown) => error)
        .then(() => {
          this.#isPausing = false;
          this.pump();
        });
    }, FETCH_RETRY_MS);
  }
}

function takeFrom(buffer: PartitionBuffer, share: Share): readonly [LogRecord[], number] {
  let [count, bytes] = [0, 0];
  for (const { key, value } of buffer.records) {
    const size = key.byteLength + value.byteLength;
    const isFree = share.atLeastOne && count === 0;
    if (!isFree && (count >= share.records || bytes + size > share.bytes)) break;
    bytes += size;
    count++;
  }
  const records = buffer.records.splice(0, count);
  for (const record of records) buffer.bufferedBytes -= weightOf(record);
  return [records, bytes];
}

/** Whether everything up to `to` has been fetched. */
export function isAtEnd({ next, to }: Pick<PartitionBuffer, 'next' | 'to'>): boolean {
  return to !== undefined && next >= to;
}

/** Bytes that a buffered record counts as: about its size on the wire. */
function weightOf({ key, value }: LogRecord): number {
  return key.byteLength + value.byteLength + 32;
}
