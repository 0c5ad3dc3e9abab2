/** Past this the oldest are forgotten first: they only save asking again. */
const MAX_IDS = 10_000;

/** Ids that a registry said it does not know, not to be asked for again for a while: it may come to know them. */
export class AbsentIds {
  readonly #forMs: number;
  readonly #until = new Map<number, number>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  has(id: number): boolean {
    const until = this.#until.get(id);
    return until !== undefined && until > performance.now();
  }

  add(id: number): void {
    this.#until.delete(id);
    const [oldest] = this.#until.keys();
    if (this.#until.size >= MAX_IDS && oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(id, performance.now() + this.#forMs);
  }
}
