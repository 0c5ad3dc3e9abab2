/** A measure in memory: of values that come and go. */
import type { Measure, MeasureBound } from '../definition/audience.ts';
import { storedNumber } from '../operators/constant.ts';
import { LeastFirst } from '../due-queue.ts';
import { valueAt } from '../sql/stored-value.ts';
import { UNITS_OF_ONE, unitsOf, unitsText } from './exact-number.ts';

/** What an event has to measure: the units of a number, or a text that tells a value from all different ones. */
export type MeasuredValue = bigint | string;

/** Null where the property has nothing that is measured. */
export function measuredValue({ of, path }: Measure, properties: unknown): MeasuredValue | null {
  const value = valueAt(properties, path);
  const number = storedNumber(value, 'property');
  const text = number && (number.integer?.toString() ?? String(number.double));
  if (of !== 'distinct') return text === undefined ? null : unitsOf(text);
  if (text !== undefined) return `n${text}`;
  return typeof value === 'string' || typeof value === 'boolean' ? JSON.stringify(value) : null;
}

export class Tally {
  readonly #measure: Measure;
  /** How many events have each value. */
  readonly #counts = new Map<MeasuredValue, number>();
  readonly #leastFirst = new LeastFirst<bigint>((value) => value);
  #values = 0n;
  #sum = 0n;

  constructor(measure: Measure) {
    this.#measure = measure;
  }

  add(value: MeasuredValue | null): void {
    if (value === null) return;
    const count = this.#counts.get(value) ?? 0;
    this.#counts.set(value, count + 1);
    this.#values++;
    if (typeof value !== 'bigint') return;
    this.#sum += value;
    if (count === 0 && this.#isExtreme) this.#leastFirst.add(this.#signed(value));
  }

  /** Takes a value back that was added. */
  remove(value: MeasuredValue | null): void {
    const count = value === null ? 0 : (this.#counts.get(value) ?? 0);
    if (value === null || count === 0) return;
    if (count === 1) this.#counts.delete(value);
    else this.#counts.set(value, count - 1);
    this.#values--;
    if (typeof value === 'bigint') this.#sum -= value;
  }

  /** Whether there is any value, and the measure of all is within its bounds. */
  get isMet(): boolean {
    const value = this.#multiple();
    if (value === null) return false;
    return this.#measure.bounds.every(({ test, units }) => isWithin(value, test, units * this.#divisor()));
  }

  /** The measure as the text of a JSON number, an average cut after 30 decimals; null where there is no value. */
  get text(): string | null {
    const value = this.#multiple();
    return value === null ? null : unitsText(value / this.#divisor());
  }

  /** The measure in units, times `#divisor`: an average is no whole number of units. */
  #multiple(): bigint | null {
    if (this.#values === 0n) return null;
    switch (this.#measure.of) {
      case 'sum':
      case 'average':
        return this.#sum;
      case 'distinct':
        return BigInt(this.#counts.size) * UNITS_OF_ONE;
      case 'min':
      case 'max':
        break;
    }
    for (let { first } = this.#leastFirst; first !== undefined; first = this.#leastFirst.first) {
      const value = this.#signed(first);
      if (this.#counts.has(value)) return value;
      // Such a value was taken back.
      this.#leastFirst.removeFirst();
    }
    return null;
  }

  get #isExtreme(): boolean {
    return this.#measure.of === 'min' || this.#measure.of === 'max';
  }

  #divisor(): bigint {
    return this.#measure.of === 'average' ? this.#values : 1n;
  }

  /** The greatest value is the least of the negative ones. */
  #signed(value: bigint): bigint {
    return this.#measure.of === 'max' ? -value : value;
  }
}

function isWithin(value: bigint, test: MeasureBound['test'], bound: bigint): boolean {
  switch (test) {
    case 'is':
      return value === bound;
    case 'is_not':
      return value !== bound;
    case 'gt':
      return value > bound;
    case 'gte':
      return value >= bound;
    case 'lt':
      return value < bound;
    case 'lte':
      return value <= bound;
    default:
      return test satisfies never;
  }
}
