import type { Micros } from '../messages/message.ts';

export interface Due<T> {
  readonly at: Micros;
  readonly what: T;
}

/** What is due at instants to come, the earliest first. Nothing is removed before it is due: whoever takes it looks whether it still holds. */
export class DueQueue<T> {
  readonly #dues = new LeastFirst<Due<T>>(({ at }) => at);

  get next(): Micros | undefined {
    return this.#dues.first?.at;
  }

  push(at: Micros, what: T): void {
    this.#dues.add({ at, what });
  }

  /** Takes out what is due at this instant or before. */
  *due(at: Micros): Generator<T, void, undefined> {
    for (let { first } = this.#dues; first !== undefined && first.at <= at; first = this.#dues.first) {
      this.#dues.removeFirst();
      yield first.what;
    }
  }
}

/** A heap: what is least of all that was added comes first. */
export class LeastFirst<T> {
  readonly #sizeOf: (item: T) => bigint;
  /** Each comes before the two at twice its index, plus one and two. */
  readonly #items: T[] = [];

  constructor(sizeOf: (item: T) => bigint) {
    this.#sizeOf = sizeOf;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const size = this.#sizeOf(item);
    let index = this.#items.length;
    for (;;) {
      const parent = (index - 1) >> 1;
      const above = this.#items[parent];
      if (above === undefined || this.#sizeOf(above) <= size) break;
      this.#items[index] = above;
      index = parent;
    }
    this.#items[index] = item;
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    const size = this.#sizeOf(last);
    let index = 0;
    for (;;) {
      const [left, right] = [this.#items[2 * index + 1], this.#items[2 * index + 2]];
      const isRight = left !== undefined && right !== undefined && this.#sizeOf(right) < this.#sizeOf(left);
      const below = isRight ? right : left;
      if (below === undefined || this.#sizeOf(below) >= size) break;
      this.#items[index] = below;
      index = 2 * index + (isRight ? 2 : 1);
    }
    this.#items[index] = last;
  }
}
