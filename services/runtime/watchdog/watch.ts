import { type Beats, CHECK_INTERVAL_MS, CHECKS_ALLOWED, CHECKS_TO_STOP } from './beats.ts';

/** Decides from one check to the next whether the process must end. */
export class Watch {
  readonly #beats: Pick<Beats, 'isArmed' | 'isStopping' | 'threads'>;
  /** Each thread's count of beats at the last check, and for how many checks it has not changed. */
  readonly #last: { beats: number; checks: number }[] = [];
  #checksWhileStopping = 0;

  constructor(beats: Pick<Beats, 'isArmed' | 'isStopping' | 'threads'>) {
    this.#beats = beats;
  }

  /** Why the process must end; undefined where all threads answer. */
  check(): string | undefined {
    if (this.#beats.isStopping && ++this.#checksWhileStopping >= CHECKS_TO_STOP) {
      return 'it has not stopped within 14 s of the signal';
    }
    if (!this.#beats.isArmed) return undefined;
    for (const [index, thread] of this.#beats.threads().entries()) {
      const last = (this.#last[index] ??= { beats: 0, checks: 0 });
      const isWell = thread === undefined || thread.mayBlock || thread.beats !== last.beats;
      last.checks = isWell ? 0 : last.checks + 1;
      last.beats = thread?.beats ?? 0;
      if (thread !== undefined && last.checks >= CHECKS_ALLOWED[thread.name]) {
        return `${thread.name} has not answered for ${(last.checks * CHECK_INTERVAL_MS) / 1_000} s`;
      }
    }
    return undefined;
  }
}
