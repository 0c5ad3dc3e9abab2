import { type Beats, LOOK_EVERY_MS, LOOKS_ALLOWED, LOOKS_TO_STOP } from './watchdog.ts';

/** What the watchdog makes of what it sees, one look after another. */
export class Watch {
  readonly #beats: Pick<Beats, 'isArmed' | 'isStopping' | 'threads'>;
  /** Of each thread: what it had at the last look, and for how many looks. */
  readonly #last: { beats: number; looks: number }[] = [];
  #looksStopping = 0;

  constructor(beats: Pick<Beats, 'isArmed' | 'isStopping' | 'threads'>) {
    this.#beats = beats;
  }

  /** What the process must end for; undefined where all is well. */
  look(): string | undefined {
    if (this.#beats.isStopping && ++this.#looksStopping >= LOOKS_TO_STOP) {
      return 'it has not stopped within 14 s of the signal';
    }
    if (!this.#beats.isArmed) return undefined;
    for (const [index, thread] of this.#beats.threads().entries()) {
      const last = (this.#last[index] ??= { beats: 0, looks: 0 });
      const isWell = thread === undefined || thread.mayBlock || thread.beats !== last.beats;
      last.looks = isWell ? 0 : last.looks + 1;
      last.beats = thread?.beats ?? 0;
      if (thread !== undefined && last.looks >= LOOKS_ALLOWED[thread.name]) {
        return `${thread.name} has not answered for ${(last.looks * LOOK_EVERY_MS) / 1_000} s`;
      }
    }
    return undefined;
  }
}
