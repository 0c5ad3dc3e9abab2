import type { EventLog, LogCoordinates, PartitionRecords, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { Claim } from '../../stores/profiles/profile-store.ts';
import type { SqlProfileStore } from '../../stores/profiles/sql-profile-store.ts';
import type { SettledOffsets } from '../../stores/profiles/unstored-messages.ts';
import type { Unprocessable } from '../dead-letters.ts';
import { type Decoded, decodeEach, prepareFor } from '../decode-batch.ts';
import type { CatchUpParts } from './catch-up.ts';
import { changesOfFirstCopies, type Contribution, contributionOf } from './contribution.ts';
import { fold } from './fold.ts';
import { claimIdentity } from './large-batch.ts';
import { ProjectCosts } from './project-costs.ts';

export interface OvertakingParts extends Pick<CatchUpParts, 'wanted'> {
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Codec;
  readonly logger: Pick<Logger, 'debug'>;
  readonly store: Pick<SqlProfileStore, 'areRepeats' | 'mergeAhead'>;
  /** The settled dead letters among these records: nothing is made of them. */
  readonly settledIn: (batch: readonly PartitionRecords[]) => Promise<SettledOffsets | undefined>;
  readonly positionOf: (partition: TopicPartition) => { readonly offset: bigint };
}

// One round: a few hundred milliseconds. It takes a third of the time at most.
const ROUND = { maxRecords: 10_000, maxBytes: 16 * 1024 * 1024 };
const SCANNED_AT_ONCE = { maxRecords: 1_000, maxBytes: 2 * 1024 * 1024 };
const LEAST_PAUSE_MS = 250;
const PAUSE_A_ROUND = 2;

// A message of many traits may be slow itself. Half of what a request of one message may have.
const WIDE_CHARS = 16_384;

// Some 200 bytes each.
const MOST_CLAIMS = 200_000;

/**
 * Lets the messages of other projects pass those of a project whose merges are slow. Between two transactions of what is next
 * in the log it reads on from there, and merges ahead what the others have further on. The positions stay where they are: what
 * was merged ahead is read and merged again when they come to it, which changes nothing. So nothing here needs to be
 * complete: a message that is left out has to wait, and no more.
 */
export class Overtaking {
  readonly #parts: OvertakingParts;
  readonly #costs = new ProjectCosts();
  /** How far each partition was read. */
  readonly #heads = new Map<string, bigint>();
  /** The identities of what was read with a claim: what comes under one of them again does not count. */
  readonly #claimed = new Set<string>();
  #nextAt = 0;

  constructor(parts: OvertakingParts) {
    this.#parts = parts;
  }

  /** Takes over how long a transaction of these changes took. */
  note(changes: readonly ProfileChange[], tookMs: number): void {
    this.#costs.note(changes, tookMs);
  }

  /** Forgets how far it has read. */
  reset(): void {
    this.#heads.clear();
    this.#claimed.clear();
  }

  /** To be called between transactions. Returns at once unless a project is slow. */
  async pass(assigned: readonly TopicPartition[]): Promise<void> {
    const slow = this.#costs.slow();
    if (slow.size === 0) {
      this.reset();
      return;
    }
    const begunAt = performance.now();
    if (begunAt < this.#nextAt || this.#claimed.size >= MOST_CLAIMS) return;
    try {
      await this.#round(assigned, slow);
    } catch (error) {
      // Whoever reads in order meets it too, and knows what to do.
      if (!(error instanceof TidemarkError)) throw error;
      this.#parts.logger.debug({ err: error }, 'messages cannot be merged ahead');
      this.reset();
    }
    const tookMs = performance.now() - begunAt;
    this.#nextAt = begunAt + tookMs + Math.max(LEAST_PAUSE_MS, PAUSE_A_ROUND * tookMs);
  }

  async #round(assigned: readonly TopicPartition[], slow: ReadonlySet<string>): Promise<void> {
    const { store } = this.#parts;
    const { passing, ends } = await this.#read(assigned, slow);
    const claims = passing.flatMap(({ claim }) => claim ?? []);
    const areRepeats = claims.length === 0 ? [] : await store.areRepeats(claims);
    const areFirst = areRepeats.map((isRepeat) => !isRepeat);
    const changes = fold(changesOfFirstCopies(passing, areFirst));
    if (changes.length > 0) {
      const startedAt = performance.now();
      await this.#merge(ends, changes);
      this.note(changes, performance.now() - startedAt);
    }
    for (const { topic, partition, offset } of ends) this.#heads.set(nameOf({ topic, partition }), offset);
  }

  /** Leaves out the projects of which the store rejects anything: it becomes a dead letter when the positions come to it. */
  async #merge(ends: readonly LogCoordinates[], changes: readonly ProfileChange[]): Promise<void> {
    const { store } = this.#parts;
    const orRejected = (error: unknown): true => {
      if (!hasCode(error, 'STORE_REJECTED')) throw error;
      return true;
    };
    const isRejected = await store.mergeAhead(ends, changes).catch(orRejected);
    if (isRejected !== true) return;
    for (const ofProject of Map.groupBy(changes, ({ projectId }) => projectId).values())
      await store.mergeAhead(ends, ofProject).catch(orRejected);
  }

  /** What lies ahead of the heads, or of the positions where these are further: the messages that may pass. */
  async #read(assigned: readonly TopicPartition[], slow: ReadonlySet<string>): Promise<Ahead> {
    const { log, codec, positionOf, settledIn } = this.#parts;
    const wanted = await this.#parts.wanted();
    const passing: Decoded<Contribution>[] = [];
    const ends = new Map<string, LogCoordinates>();
    let [records, bytes] = [0, 0];
    const ranges = assigned.map(({ topic, partition }) => {
      const position = positionOf({ topic, partition }).offset;
      const head = this.#heads.get(nameOf({ topic, partition })) ?? 0n;
      return { topic, partition, from: head > position ? head : position, to: BEYOND };
    });
    const contentOf = (message: Message): Contribution | undefined => {
      const mayPass = !slow.has(message.projectId) && !isWide(message) && wanted?.has(message) !== false;
      return mayPass ? contributionOf(message) : undefined;
    };
    for await (const piece of log.scan(ranges, SCANNED_AT_ONCE)) {
      await prepareFor(codec, [piece]);
      const take = (one: Decoded<Contribution | undefined> | Unprocessable): void => {
        if ('error' in one) return;
        const isNew = one.claim === undefined || this.#claim(one.claim);
        if (isNew && one.content !== undefined) passing.push({ ...one, content: one.content });
      };
      await decodeEach(codec, [piece], contentOf, take, { settled: await settledIn([piece]) });
      const { topic, partition } = piece;
      ends.set(nameOf(piece), { topic, partition, offset: (piece.records.at(-1)?.offset ?? -1n) + 1n });
      records += piece.records.length;
      bytes += piece.records.reduce((sum, { value }) => sum + value.length, 0);
      if (records >= ROUND.maxRecords || bytes >= ROUND.maxBytes) break;
    }
    return { passing, ends: [...ends.values()] };
  }

  /** Whether it is the first of its identity. Also of messages that do not pass: a later copy of them does not count. */
  #claim(claim: Claim): boolean {
    const identity = claimIdentity(claim);
    if (this.#claimed.has(identity)) return false;
    this.#claimed.add(identity);
    return true;
  }
}

interface Ahead {
  readonly passing: readonly Decoded<Contribution>[];
  readonly ends: readonly LogCoordinates[];
}

const BEYOND = 2n ** 63n - 1n;

function isWide(message: Message): boolean {
  return message.type !== 'track' && message.traits.length > WIDE_CHARS;
}
