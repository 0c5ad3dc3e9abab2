/** What was there before each change, for undo and redo. */

/** Changes of one thing within this time are one. */
const TOGETHER_MS = 1_000;
const MAX_STEPS = 200;

export class History<T> {
  #past: T[] = [];
  #present: T;
  #future: T[] = [];
  #last: { readonly of: string; readonly atMs: number } | undefined;

  constructor(present: T) {
    this.#present = present;
  }

  get present(): T {
    return this.#present;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** @param of What was changed: several changes of it in short order are undone together; undefined is always apart. */
  change(present: T, of: string | undefined, nowMs: number): void {
    const isSame = of !== undefined && this.#last?.of === of && nowMs - this.#last.atMs < TOGETHER_MS;
    if (!isSame) this.#past = [...this.#past, this.#present].slice(-MAX_STEPS);
    this.#last = of === undefined ? undefined : { of, atMs: nowMs };
    this.#present = present;
    this.#future = [];
  }

  undo(): void {
    const before = this.#past.pop();
    if (before === undefined) return;
    this.#future.push(this.#present);
    this.#present = before;
    this.#last = undefined;
  }

  redo(): void {
    const after = this.#future.pop();
    if (after === undefined) return;
    this.#past.push(this.#present);
    this.#present = after;
    this.#last = undefined;
  }
}
