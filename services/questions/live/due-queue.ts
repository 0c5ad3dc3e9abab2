import type { Micros } from '../../messages/message.ts';

export interface Due<T> {
  readonly at: Micros;
  readonly what: T;
}

/** What is due at instants to come, the earliest first. Nothing is removed before it is due: whoever takes it looks whether it still holds. */
export class DueQueue<T> {
  /** Each comes before the two at twice its index, plus one and two. */
  readonly #heap: Due<T>[] = [];

  get next(): Micros | undefined {
    return this.#heap[0]?.at;
  }

  push(at: Micros, what: T): void {
    this.#heap.push({ at, what });
    let index = this.#heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  /** Takes out what is due at this instant or before. */
  *due(at: Micros): Generator<T, void, undefined> {
    for (let first = this.#heap[0]; first !== undefined && first.at <= at; first = this.#heap[0]) {
      this.#removeFirst();
      yield first.what;
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let index = 0; ;) {
      const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
      if (left === undefined) return;
      const child = right !== undefined && right.at < left.at ? 2 * index + 2 : 2 * index + 1;
      if (!this.#swapIfEarlier(child, index)) return;
      index = child;
    }
  }

  #swapIfEarlier(index: number, other: number): boolean {
    const [one, two] = [this.#heap[index], this.#heap[other]];
    if (one === undefined || two === undefined || one.at >= two.at) return false;
    this.#heap[index] = two;
    this.#heap[other] = one;
    return true;
  }
}
