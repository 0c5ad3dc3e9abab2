/** What was there before each change, for undo and redo. */

/** Changes of one thing within this time are one. */
const TOGETHER_MS = 1_000;
const MAX_STEPS = 200;

export class History<T> {
  #steps: readonly T[];
  #at = 0;
  #last: { readonly of: string; readonly atMs: number } | undefined;

  constructor(present: T) {
    this.#steps = [present];
  }

  get present(): T {
    return this.#steps[this.#at] as T;
  }

  get canUndo(): boolean {
    return this.#at > 0;
  }

  get canRedo(): boolean {
    return this.#at < this.#steps.length - 1;
  }

  /** @param of What was changed: several changes of it in short order are undone together; undefined is always apart. */
  change(present: T, of: string | undefined, nowMs: number): void {
    const isSame = of !== undefined && this.#last?.of === of && nowMs - this.#last.atMs < TOGETHER_MS;
    const before = this.#steps.slice(0, isSame ? this.#at : this.#at + 1);
    this.#steps = [...before, present].slice(-MAX_STEPS - 1);
    this.#at = this.#steps.length - 1;
    this.#last = of === undefined ? undefined : { of, atMs: nowMs };
  }

  undo(): void {
    this.#go(-1);
  }

  redo(): void {
    this.#go(1);
  }

  #go(step: 1 | -1): void {
    if (!(step === 1 ? this.canRedo : this.canUndo)) return;
    this.#at += step;
    this.#last = undefined;
  }
}
