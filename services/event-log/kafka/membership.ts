import { setTimeout as sleep } from 'node:timers/promises';
import { pause } from '../../runtime/pause.ts';
import type { Position, TopicPartition } from '../event-log.ts';
import {
  assign,
  ASSIGNMENT_PROTOCOL,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './assignment.ts';
import { isFatal, KAFKA, KafkaFault } from './faults.ts';
import type { Joined, KafkaWire, Member } from './wire.ts';

export interface MembershipOptions {
  readonly group: string;
  readonly topics: readonly string[];
  /** All of these topics. */
  readonly partitions: readonly TopicPartition[];
}

export interface MembershipEvents {
  /** These partitions belong to this member until `revoked`. */
  readonly assigned: (partitions: readonly TopicPartition[]) => void;
  /** No partition belongs to it any more. */
  readonly revoked: () => void;
  /** It cannot stay in the group now; undefined once it can again. A fatal fault ends the membership. */
  readonly trouble: (fault: unknown) => void;
}

// After the first, a dead member is removed from the group; within the second, members must join a rebalance. Brokers allow
// no session below 6 s (group.min.session.timeout.ms).
const SESSION_TIMEOUT_MS = 8_000;
const REBALANCE_TIMEOUT_MS = 8_000;
const HEARTBEAT_EVERY_MS = 500;
const REJOIN_RETRY_MS = 250;
const LEAVE_WITHIN_MS = 1_000;

// The coordinator moved, or there is none for the moment. The next one knows the members, so nothing is revoked.
const ELSEWHERE: ReadonlySet<number> = new Set([
  KAFKA.COORDINATOR_LOAD_IN_PROGRESS,
  KAFKA.COORDINATOR_NOT_AVAILABLE,
  KAFKA.NOT_COORDINATOR,
]);

/** The membership in a consumer group: joins, sends heartbeats, and joins again, until it is closed. */
export class Membership {
  readonly #wire: KafkaWire;
  readonly #options: MembershipOptions;
  readonly #events: MembershipEvents;
  readonly #stopping = new AbortController();
  #coordinator: number | undefined;
  #member: Member;
  #isMember = false;
  #lastHeardMs = 0;
  readonly #running: Promise<void>;

  constructor(wire: KafkaWire, options: MembershipOptions, events: MembershipEvents) {
    this.#wire = wire;
    this.#options = options;
    this.#events = events;
    this.#member = { group: options.group, memberId: '', generation: -1 };
    this.#running = this.#run();
  }

  /** Does nothing while it is not a member. @throws KafkaFault */
  async commit(positions: readonly Position[]): Promise<void> {
    if (!this.#isMember || this.#coordinator === undefined) return;
    const offsets = positions.map(({ topic, partition, offset, identity }) => {
      return { topic, partition, offset, metadata: identity };
    });
    await this.#wire.commit(this.#coordinator, this.#member, offsets);
  }

  /** Leaves the group, so that others need not wait for its session to end. Never rejects. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#leave(), sleep(LEAVE_WITHIN_MS, undefined, { ref: false })]);
  }

  async #leave(): Promise<void> {
    await this.#running;
    if (this.#member.memberId === '' || this.#coordinator === undefined) return;
    await this.#wire.leave(this.#coordinator, this.#member).catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#join();
        await this.#stay();
      } catch (error) {
        const rejoins = this.#recover(error);
        if (isFatal(error)) return;
        if (!rejoins) await this.#pause(REJOIN_RETRY_MS);
      }
    }
  }

  async #join(): Promise<void> {
    const { group, topics } = this.#options;
    const coordinator = await this.#find();
    const joined = await this.#wire.join(coordinator, {
      group,
      memberId: this.#member.memberId,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      protocol: ASSIGNMENT_PROTOCOL,
      subscription: encodeSubscription(topics),
    });
    this.#member = { group, memberId: joined.memberId, generation: joined.generation };
    const shares = joined.leaderId === joined.memberId ? this.#share(joined) : [];
    const assignment = await this.#wire.sync(coordinator, this.#member, ASSIGNMENT_PROTOCOL, shares);
    if (this.#stopping.signal.aborted) return;
    this.#isMember = true;
    this.#lastHeardMs = performance.now();
    this.#events.trouble(undefined);
    this.#events.assigned(decodeAssignment(assignment));
  }

  #share({ members }: Joined): readonly { memberId: string; assignment: Buffer }[] {
    const subscribed = members.map(({ memberId, subscription }) => {
      return { memberId, topics: decodeSubscription(subscription) };
    });
    const shares = assign(subscribed, this.#options.partitions);
    return [...shares].map(([memberId, partitions]) => ({ memberId, assignment: encodeAssignment(partitions) }));
  }

  /** Sends heartbeats until the group's members change, which rejects. */
  async #stay(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause(HEARTBEAT_EVERY_MS);
      if (this.#stopping.signal.aborted) return;
      try {
        await this.#wire.heartbeat(await this.#find(), this.#member);
        this.#lastHeardMs = performance.now();
        this.#events.trouble(undefined);
      } catch (error) {
        if (!isElsewhere(error) || performance.now() - this.#lastHeardMs > SESSION_TIMEOUT_MS) throw error;
        this.#coordinator = undefined;
        this.#events.trouble(error);
      }
    }
  }

  async #find(): Promise<number> {
    if (this.#coordinator === undefined) {
      const coordinator = await this.#wire.coordinator(this.#options.group);
      // Metadata contains the coordinator's address.
      await this.#wire.cluster(this.#options.topics);
      this.#coordinator = coordinator;
    }
    return this.#coordinator;
  }

  /**
   * Gives up the partitions, and the member id if the coordinator no longer knows it. Returns whether to join at once.
   */
  #recover(error: unknown): boolean {
    if (this.#isMember) this.#events.revoked();
    this.#isMember = false;
    const code = error instanceof KafkaFault ? error.code : undefined;
    if (code === KAFKA.REBALANCE_IN_PROGRESS || code === KAFKA.ILLEGAL_GENERATION) return true;
    if (code === KAFKA.UNKNOWN_MEMBER_ID) this.#member = { ...this.#member, memberId: '' };
    else this.#coordinator = undefined;
    this.#events.trouble(error);
    return false;
  }

  #pause(ms: number): Promise<void> {
    return pause(ms, this.#stopping.signal);
  }
}

function isElsewhere(error: unknown): boolean {
  return error instanceof KafkaFault && (error.code < 0 || ELSEWHERE.has(error.code));
}
