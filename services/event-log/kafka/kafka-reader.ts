import { setTimeout as sleep } from 'node:timers/promises';
import type {
  LogReader,
  PartitionRecords,
  PollOptions,
  Position,
  ReaderOptions,
  TopicPartition,
} from '../event-log.ts';
import { failureOf, isFatal, lasts, type Trouble } from './faults.ts';
import { Fetches } from './fetches.ts';
import type { Leaders } from './leaders.ts';
import { Membership } from './membership.ts';
import type { Layout } from './partitions.ts';
import { boundsOf } from './bounds.ts';
import { entryAt } from '../start.ts';
import type { KafkaWire } from './wire.ts';
import { beginningOf } from '../identity.ts';
import { nameOf } from '../partition.ts';
import { WakeablePause } from '../wakeable-pause.ts';

export interface KafkaReaderParts {
  /** Used by this reader alone, and closed with it. */
  readonly wire: KafkaWire;
  readonly leaders: Leaders;
  readonly layout: Layout;
  readonly closed: (reader: KafkaReader) => void;
}

const START_RETRY_MS = 250;
const JOIN_WITHIN_MS = 3_000;
const CLOSED_POLL_MS = 20;

/**
 * A member of a consumer group that fetches from the positions that the stores know. On every change of the group it
 * discards its partitions and what it has read ahead, and calls `start` again.
 */
export class KafkaReader implements LogReader {
  readonly #wire: KafkaWire;
  readonly #leaders: Leaders;
  readonly #closed: (reader: KafkaReader) => void;
  readonly #start: ReaderOptions['start'];
  readonly #membership: Membership;
  readonly #firstJoin = Promise.withResolvers<void>();
  #assigned: readonly TopicPartition[] = [];
  /** Undefined until `start` has been called. */
  #fetches: Fetches | undefined;
  /** Incremented by whatever makes a pending result of `start` obsolete. */
  #turn = 0;
  #trouble: Trouble | undefined;
  #closing: Promise<void> | undefined;
  readonly #pause = new WakeablePause();

  constructor({ wire, leaders, layout, closed }: KafkaReaderParts, { group, topics, start }: ReaderOptions) {
    this.#wire = wire;
    this.#leaders = leaders;
    this.#closed = closed;
    this.#start = start;
    const options = { group, topics, partitions: layout.partitionsOf(topics) };
    this.#membership = new Membership(wire, options, {
      assigned: (partitions) => this.#assign(partitions),
      revoked: () => this.#assign([]),
      trouble: (fault) => this.#setTrouble(fault),
    });
  }

  /** Resolves when it is a member, or after a timeout. @throws TidemarkError where it cannot become one. */
  async joined(): Promise<void> {
    await Promise.race([this.#firstJoin.promise, sleep(JOIN_WITHIN_MS, undefined, { ref: false })]);
  }

  async poll(options: PollOptions): Promise<readonly PartitionRecords[]> {
    // A caller that goes on polling after the log was closed must not keep timers and signals from their turn.
    if (this.#closing !== undefined) await this.#pause.wait(Math.min(options.maxWaitMs, CLOSED_POLL_MS));
    const deadlineMs = performance.now() + options.maxWaitMs;
    while (this.#closing === undefined) {
      const fetches = await this.#ready();
      if (this.#closing !== undefined) break;
      const found = fetches === undefined ? [] : fetches.take(options);
      fetches?.pump();
      if (found.length > 0) return found;
      this.#throwTrouble();
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return found;
      await this.#pause.wait(fetches === undefined ? Math.min(leftMs, START_RETRY_MS) : leftMs);
    }
    return [];
  }

  async commit(positions: readonly Position[]): Promise<void> {
    // Only a hint, and the next commit replaces it: the group may be changing, or the broker be unreachable.
    if (positions.length > 0) await this.#membership.commit(positions).catch(() => undefined);
  }

  restart(): void {
    this.#turn++;
    this.#fetches?.stop();
    this.#fetches = undefined;
  }

  assigned(): readonly TopicPartition[] {
    return this.#assigned;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#assign([]);
    await this.#membership.close();
    await this.#wire.close();
    this.#closed(this);
  }

  #assign(partitions: readonly TopicPartition[]): void {
    this.#assigned = this.#closing === undefined ? partitions : [];
    this.restart();
    this.#firstJoin.resolve();
    this.#pause.wake();
  }

  #setTrouble(fault: unknown): void {
    if (fault === undefined) this.#trouble = undefined;
    else this.#trouble ??= { fault, sinceMs: performance.now() };
    if (isFatal(fault)) this.#firstJoin.reject(failureOf(fault, 'to join the group'));
    this.#pause.wake();
  }

  /** Starts reading ahead. Undefined while nothing is assigned, or Kafka is unreachable. */
  async #ready(): Promise<Fetches | undefined> {
    const assigned = this.#assigned;
    if (this.#fetches !== undefined || assigned.length === 0) return this.#fetches;
    const turn = this.#turn;
    const positions = new Map((await this.#start(assigned)).map((position) => [nameOf(position), position]));
    try {
      const bounds = await boundsOf(this.#wire, this.#leaders, assigned);
      // Lost or restarted meanwhile: `start` is called again in a moment, or at the next poll.
      if (turn !== this.#turn) return undefined;
      const entries = bounds.map(({ earliest, latest, ...at }) => {
        return entryAt(positions.get(nameOf(at)) ?? beginningOf(at), { earliest, latest });
      });
      const parts = { wire: this.#wire, leaders: this.#leaders };
      this.#fetches = new Fetches(parts, entries, () => this.#pause.wake());
    } catch (error) {
      const failure = failureOf(error, 'to find where its partitions begin');
      if (!failure.retryable) throw failure;
      this.#setTrouble(error);
    }
    return this.#fetches;
  }

  /** Throws why no records arrived, if that is not retryable or lasts. */
  #throwTrouble(): void {
    const failure = this.#fetches?.failure;
    if (failure !== undefined) {
      this.restart();
      throw failureOf(failure, 'to read');
    }
    for (const trouble of [this.#trouble, this.#fetches?.trouble]) {
      if (trouble === undefined) continue;
      if (lasts(trouble)) throw failureOf(trouble.fault, 'to read');
    }
  }
}
