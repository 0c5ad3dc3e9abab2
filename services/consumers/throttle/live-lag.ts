import type { EventLog, TopicPartition } from '../../event-log/event-log.ts';
import { LIVE_TOPICS } from '../../messages/message.ts';
import type { ReaderName } from '../../stores/profiles/profile-store.ts';
import type { LiveGenerations } from '../../stores/generations/live-generations.ts';

export interface LiveLagParts {
  readonly log: Pick<EventLog, 'ends'>;
  readonly progress: Pick<LiveGenerations, 'progress'>;
  /** Whose lag counts: the readers that this process runs. */
  readonly readers: readonly ReaderName[];
  /** Whether live readers are paused, for a generation to overtake them. */
  readonly arePaused: () => Promise<boolean>;
  readonly nowMs?: () => number;
}

/** Where the live topics ended at an instant: the sum of their next offsets. */
interface Sample {
  readonly atMs: number;
  readonly total: bigint;
}

const MEASURE_EVERY_MS = 400;
const MAX_SAMPLES = 60;
/** A reader without progress for this time is not helped by others that wait for it. */
const STUCK_MS = 15_000;

/**
 * How far the readers of live messages are behind, in time and not in messages: how long ago the log ended at the position
 * that the slower of them has reached now. One second's messages may be ten or ten thousand.
 */
export class LiveLag {
  readonly #parts: LiveLagParts;
  readonly #nowMs: () => number;
  readonly #samples: Sample[] = [];
  #behindMs = 0;
  #least = -1n;
  #movedAtMs = 0;
  #measuring: Promise<void> | undefined;
  #measuredAtMs = -Infinity;

  constructor(parts: LiveLagParts) {
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
  }

  /**
   * Measures at most every 400 ms, however many callers there are. 0 before a second measurement, and while the readers
   * are stuck or paused.
   */
  async ms(): Promise<number> {
    if (this.#measuring === undefined && this.#nowMs() - this.#measuredAtMs >= MEASURE_EVERY_MS) {
      this.#measuring = this.#measure().finally(() => (this.#measuring = undefined));
    }
    await this.#measuring;
    return this.#behindMs;
  }

  async #measure(): Promise<void> {
    const { log, progress, readers, arePaused } = this.#parts;
    this.#measuredAtMs = this.#nowMs();
    const [ends, positions, isPaused] = await Promise.all([log.ends(LIVE_TOPICS), progress.progress(), arePaused()]);
    this.#samples.push({ atMs: this.#measuredAtMs, total: sumOf(ends) });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    const reached = readers.map((reader) => sumOf(positions[reader].filter(isLive)));
    const least = reached.reduce((a, b) => (b < a ? b : a));
    if (least !== this.#least) [this.#least, this.#movedAtMs] = [least, this.#nowMs()];
    const isStuck = this.#nowMs() - this.#movedAtMs > STUCK_MS;
    this.#behindMs = isPaused || isStuck ? 0 : this.#since(least);
  }

  /** How long ago the log first ended after this. */
  #since(reached: bigint): number {
    const first = this.#samples.find(({ total }) => total > reached);
    return first === undefined ? 0 : this.#nowMs() - first.atMs;
  }
}

function isLive({ topic }: TopicPartition): boolean {
  return (LIVE_TOPICS as readonly string[]).includes(topic);
}

function sumOf(offsets: readonly { readonly offset: bigint }[]): bigint {
  return offsets.reduce((total, { offset }) => total + offset, 0n);
}
