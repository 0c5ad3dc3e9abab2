import type { Position, TopicPartition } from '../../event-log/event-log.ts';
import { MESSAGE_TOPICS, type MessageTopic } from '../../messages/message.ts';

/** A position in the log. A reader has passed it once its next offset in the partition is this one or a later one. */
export interface RecordPosition extends TopicPartition {
  readonly offset: bigint;
}

/** Which readers have passed a set of positions. */
export interface Passed {
  readonly projected: boolean;
  readonly queryable: boolean;
}

/** The next offset of each partition, by a number that stands for the partition. */
export type Offsets = ReadonlyMap<number, number>;

/** How far both readers were at one look. */
export interface ProgressSnapshot {
  readonly projector: Offsets;
  readonly sink: Offsets;
}

/** The four possible answers, shared by all waiters. */
export const NEITHER: Passed = { projected: false, queryable: false };
const ONLY_PROJECTED: Passed = { projected: true, queryable: false };
const ONLY_QUERYABLE: Passed = { projected: false, queryable: true };
export const BOTH: Passed = { projected: true, queryable: true };

/**
 * The positions of one receipt, shared by all its waiters: stored once, in sixteen bytes each, and compared with a look
 * once.
 */
export class WantedPositions {
  readonly name: string;
  /** How many wait for them. */
  waiters = 0;
  /** A partition, its offset, the next partition, its offset, …: numbers side by side, without an object for each. */
  readonly #places: readonly number[];
  // A position that the reader had not passed at the last look: the first to be compared at the next one.
  #projectorAt = 0;
  #sinkAt = 0;
  #lastLook: ProgressSnapshot | undefined;
  #passed = NEITHER;

  constructor(name: string, places: readonly RecordPosition[]) {
    this.name = name;
    // Copied, because what grows has room for half as much again.
    this.#places = places.flatMap((place) => [numberOfPartition(place), Number(place.offset)]).slice();
  }

  passedAt(look: ProgressSnapshot): Passed {
    if (this.#lastLook === look) return this.#passed;
    this.#lastLook = look;
    const projectorAt = this.#notPassed(look.projector, this.#projectorAt);
    const sinkAt = this.#notPassed(look.sink, this.#sinkAt);
    this.#passed = passedOf(projectorAt === undefined, sinkAt === undefined);
    this.#projectorAt = projectorAt ?? 0;
    this.#sinkAt = sinkAt ?? 0;
    return this.#passed;
  }

  /** A position that these offsets have not passed. The search begins at the last one, which usually takes one comparison. */
  #notPassed(offsets: Offsets, from: number): number | undefined {
    const places = this.#places;
    for (let i = 0; i < places.length; i += 2) {
      const at = (from + i) % places.length;
      if ((offsets.get(places[at] as number) ?? 0) < (places[at + 1] as number)) return at;
    }
    return undefined;
  }
}

export function offsetsByNumber(positions: readonly Position[]): Offsets {
  return new Map(positions.map((position) => [numberOfPartition(position), Number(position.offset)]));
}

function passedOf(projected: boolean, queryable: boolean): Passed {
  if (projected) return queryable ? BOTH : ONLY_PROJECTED;
  return queryable ? ONLY_QUERYABLE : NEITHER;
}

/** A partition as one number, which a map finds in a tenth of the time of its name. */
function numberOfPartition({ topic, partition }: TopicPartition): number {
  return partition * MESSAGE_TOPICS.length + MESSAGE_TOPICS.indexOf(topic as MessageTopic);
}
