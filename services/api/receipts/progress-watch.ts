import type { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { SharedPoll, type WaitOptions } from '../shared-poll.ts';
import {
  BOTH,
  NEITHER,
  offsetsByNumber,
  type Passed,
  type ProgressSnapshot,
  type RecordPosition,
  WantedPositions,
} from './wanted-positions.ts';

/** The positions that a request waits for. */
export interface Wanted {
  /** Equal names mean equal positions, as long as any request waits for them. */
  readonly name: string;
  readonly places: readonly RecordPosition[];
}

/** Waits until both readers have passed positions in the log. Waiters with the same receipt share its positions. */
export class ProgressWatch extends SharedPoll<WantedPositions, ProgressSnapshot, Passed> {
  readonly #wanted: Map<string, WantedPositions>;

  constructor(progress: Pick<LiveGenerations, 'progress'>, intervalMs = 25) {
    const wanted = new Map<string, WantedPositions>();
    super({
      intervalMs,
      look: async () => {
        const { projector, sink } = await progress.progress();
        return { projector: offsetsByNumber(projector), sink: offsetsByNumber(sink) };
      },
      answerTo: (positions, look) => positions.passedAt(look),
      isFinal: (passed) => passed === BOTH,
      known: undefined,
      nothing: NEITHER,
      left: (positions) => {
        if (--positions.waiters === 0) wanted.delete(positions.name);
      },
    });
    this.#wanted = wanted;
  }

  /** How many different things they wait for. */
  get wanted(): number {
    return this.#wanted.size;
  }

  /** As `wait`. What readers have passed stays passed, so an answer that is not final is a lower bound. */
  passed({ name, places }: Wanted, options: WaitOptions): Promise<Passed> {
    let wanted = this.#wanted.get(name);
    if (wanted === undefined) this.#wanted.set(name, (wanted = new WantedPositions(name, places)));
    wanted.waiters++;
    return this.wait(wanted, options);
  }
}
