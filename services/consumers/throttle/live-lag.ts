import type { EventLog, TopicPartition } from '../../event-log/event-log.ts';
import { LIVE_TOPICS } from '../../messages/message.ts';
import type { ReaderName, ReaderProgress } from '../../stores/profiles/profile-store.ts';
import type { Throttle } from '../reader-loop.ts';
import { pause } from '../../runtime/pause.ts';

export interface LiveLagParts {
  readonly log: Pick<EventLog, 'ends'>;
  readonly progress: ReaderProgress;
  /** Whose lag counts: the readers that this process runs. */
  readonly readers: readonly ReaderName[];
  /** Whether live readers are held still, for others to pass them. */
  readonly arePaused: () => Promise<boolean>;
  readonly nowMs?: () => number;
}

/** Where the live topics ended at an instant: the sum of their next offsets. */
interface Sample {
  readonly atMs: number;
  readonly total: bigint;
}

const LOOK_EVERY_MS = 400;
const REMEMBERED = 60;
/** A reader that has not moved for so long is not helped by others that wait for it. */
const STUCK_MS = 15_000;

/**
 * How far the readers of live messages are behind, in time and not in messages: how long ago the log ended where the
 * slower of them stands now. One second's messages may be ten or ten thousand.
 */
export class LiveLag {
  readonly #parts: LiveLagParts;
  readonly #nowMs: () => number;
  readonly #samples: Sample[] = [];
  #behindMs = 0;
  #passed = -1n;
  #movedAtMs = 0;
  #looking: Promise<void> | undefined;
  #lookedAtMs = -Infinity;

  constructor(parts: LiveLagParts) {
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
  }

  /**
   * Looks at most every 400 ms, whoever asks. What was before the first look is not known: 0 then. Of readers that stand
   * still, or are held still: 0.
   */
  async ms(): Promise<number> {
    if (this.#looking === undefined && this.#nowMs() - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#looking = this.#look().finally(() => (this.#looking = undefined));
    }
    await this.#looking;
    return this.#behindMs;
  }

  async #look(): Promise<void> {
    const { log, progress, readers, arePaused } = this.#parts;
    this.#lookedAtMs = this.#nowMs();
    const [ends, positions, held] = await Promise.all([log.ends(LIVE_TOPICS), progress.progress(), arePaused()]);
    this.#samples.push({ atMs: this.#lookedAtMs, total: sumOf(ends) });
    if (this.#samples.length > REMEMBERED) this.#samples.shift();
    const passed = readers.map((reader) => sumOf(positions[reader].filter(isLive)));
    const least = passed.reduce((a, b) => (b < a ? b : a));
    if (least !== this.#passed) [this.#passed, this.#movedAtMs] = [least, this.#nowMs()];
    const isStuck = this.#nowMs() - this.#movedAtMs > STUCK_MS;
    this.#behindMs = held || isStuck ? 0 : this.#since(least);
  }

  /** How long ago the log first ended after this. */
  #since(passed: bigint): number {
    const first = this.#samples.find(({ total }) => total > passed);
    return first === undefined ? 0 : this.#nowMs() - first.atMs;
  }
}

/** The readers of live messages take a second or two by design: past this, history waits. */
const BEHIND_MS = 4_000;
const LOOK_AGAIN_MS = 250;
/** Live messages that never let up must not stop history for ever: a batch every half minute. */
const LONGEST_REST_MS = 30_000;

/** History makes way for live messages: for their readers where they fall behind, and for whom these make way. */
export function liveLagThrottle(lag: Pick<LiveLag, 'ms'>, others: Throttle | undefined): Throttle {
  return async (workedMs, signal, records) => {
    await others?.(workedMs, signal, records);
    const restUntil = performance.now() + LONGEST_REST_MS;
    while (!signal.aborted && performance.now() < restUntil && (await isBehind(lag))) {
      await pause(LOOK_AGAIN_MS, signal);
    }
  };
}

/** Where it cannot be told, a store is away, for which the readers wait by themselves. */
async function isBehind(lag: Pick<LiveLag, 'ms'>): Promise<boolean> {
  return (await lag.ms().catch(() => 0)) > BEHIND_MS;
}

function isLive({ topic }: TopicPartition): boolean {
  return (LIVE_TOPICS as readonly string[]).includes(topic);
}

function sumOf(places: readonly { readonly offset: bigint }[]): bigint {
  return places.reduce((total, { offset }) => total + offset, 0n);
}
