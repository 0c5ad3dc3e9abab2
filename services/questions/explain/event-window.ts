import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';
import {
  agesPassed,
  type EventCondition,
  liesWithin,
  microsOf,
  type Period,
  timeOver,
} from '../definition/audience.ts';
import { type MeasuredValue, Tally } from '../measures/tally.ts';
import type { MovingWhere } from './moving-where.ts';

/** An event of one user that a condition counts if it lies within the condition's period. */
export interface CountedEvent {
  /** The event's name. */
  readonly event: string;
  readonly messageId: string;
  readonly timestamp: Micros;
  readonly receivedAt: Micros;
  /** Left out where the event passes the condition's `where` at any time. */
  readonly moving?: MovingWhere;
  /** What the condition measures, and the precedence of this copy of the message. Left out where it measures nothing. */
  readonly measured?: { readonly value: MeasuredValue | null; readonly precedence: bigint };
}

/**
 * The events of one user that one condition counts, over time. Call `moveTo` with instants in ascending order. The
 * events within a period are a contiguous range of the events sorted by time, and both ends of the range only move
 * forward.
 */
export class EventWindow {
  readonly #condition: EventCondition;
  /** The events lie in all of these. */
  readonly #periods: readonly Period[];
  /** By time, those of one time in the order of their arrival. */
  readonly #events: readonly CountedEvent[];
  /** Messages in the range by `#keyOf`, each with its events in the range: copies may lie on several days. */
  readonly #messages = new Map<string, CountedEvent[]>();
  readonly #tally: Tally | null;
  #now: Micros;
  #begin = 0;
  #end = 0;

  constructor(condition: EventCondition, events: readonly CountedEvent[], now: Micros) {
    const { within, sequence } = condition;
    const over = sequence?.which === 'any' ? timeOver(sequence) : null;
    this.#condition = condition;
    this.#periods = [within, over].filter((period) => period !== null);
    this.#tally = condition.measure && new Tally(condition.measure);
    this.#events = events.toSorted(byTime);
    this.#now = now;
    this.moveTo(now);
  }

  moveTo(now: Micros): void {
    this.#now = now;
    let [begin, end] = [EARLIEST, END_OF_TIME];
    for (const { from, to } of this.#periods) {
      if (from && microsOf(from, now) > begin) begin = microsOf(from, now);
      if (to && microsOf(to, now) < end) end = microsOf(to, now);
    }
    while (this.#isBefore(this.#begin, begin)) this.#leave();
    while (this.#isBefore(this.#end, end)) this.#enter();
  }

  protected get now(): Micros {
    return this.#now;
  }

  /** How many different messages. */
  get count(): number {
    return this.#messages.size;
  }

  get first(): CountedEvent | undefined {
    return this.#begin < this.#end ? this.#events[this.#begin] : undefined;
  }

  get last(): CountedEvent | undefined {
    return this.#begin < this.#end ? this.#events[this.#end - 1] : undefined;
  }

  /** The newest events counted, newest first, one of each message. */
  newest(atMost: number): readonly CountedEvent[] {
    const found = new Map<string, CountedEvent>();
    for (let index = this.#end - 1; index >= this.#begin && found.size < atMost; index--) {
      const event = this.#events[index];
      if (event && !found.has(this.#keyOf(event))) found.set(this.#keyOf(event), event);
    }
    return [...found.values()];
  }

  get isMet(): boolean {
    const { times, first, last } = this.#condition;
    if (this.count < times.atLeast || this.count > (times.atMost ?? Infinity)) return false;
    if (this.#tally?.isMet === false) return false;
    return this.#isTimely(this.first, first) && this.#isTimely(this.last, last);
  }

  /** The measure as the text of a JSON number; null where nothing is measured, or has a value. */
  get measured(): string | null {
    return this.#tally?.text ?? null;
  }

  /** The instants after now at which the result changes, in order. Taking one moves the window to it. */
  *flips(): Generator<Micros, void, undefined> {
    let current = this.isMet;
    for (const instant of this.instants()) {
      this.moveTo(instant);
      if (this.isMet !== current) yield instant;
      current = this.isMet;
    }
  }

  /** Every instant after now at which an end of a period passes an event. */
  instants(): BigInt64Array {
    const { within, first, last, sequence } = this.#condition;
    const instants = agesPassed([within, first, last, sequence && timeOver(sequence)]).flatMap((age) =>
      this.#events.map(({ timestamp }) => timestamp + age),
    );
    return new BigInt64Array(instants.filter((instant) => instant > this.#now && instant < END_OF_TIME)).sort();
  }

  #isTimely(event: CountedEvent | undefined, period: EventCondition['first']): boolean {
    return period === null || (event !== undefined && liesWithin(event.timestamp, period, this.#now));
  }

  #isBefore(index: number, time: Micros): boolean {
    const event = this.#events[index];
    return event !== undefined && event.timestamp < time;
  }

  /** A message: under two names an id is two messages. */
  #keyOf(event: CountedEvent | undefined): string {
    if (event === undefined) return '';
    return this.#condition.events?.length === 1 ? event.messageId : JSON.stringify([event.event, event.messageId]);
  }

  #enter(): void {
    const event = this.#events[this.#end];
    if (event !== undefined && this.#end >= this.#begin) this.#changeCopies(event, (copies) => copies.push(event));
    this.#end++;
  }

  /** The copies of a message leave in the order in which they entered. */
  #leave(): void {
    const event = this.#events[this.#begin];
    if (event !== undefined && this.#begin < this.#end) this.#changeCopies(event, (copies) => copies.shift());
    this.#begin++;
  }

  #changeCopies(event: CountedEvent, change: (copies: CountedEvent[]) => void): void {
    const key = this.#keyOf(event);
    const copies = this.#messages.get(key) ?? [];
    this.#tally?.remove(measuredOf(copies));
    change(copies);
    this.#tally?.add(measuredOf(copies));
    if (copies.length > 0) this.#messages.set(key, copies);
    else this.#messages.delete(key);
  }
}

/** What a message measures: the value of the copy that is first on the log, of those that have one. */
function measuredOf(copies: readonly CountedEvent[]): MeasuredValue | null {
  const given = copies.flatMap(({ measured }) => (measured === undefined || measured.value === null ? [] : [measured]));
  if (given.length === 0) return null;
  return given.reduce((first, other) => (other.precedence > first.precedence ? other : first)).value;
}

/** Events that arrived at one time, in two processes, by their ids. */
function byTime(one: CountedEvent, other: CountedEvent): number {
  return (
    Number(one.timestamp - other.timestamp) ||
    Number(one.receivedAt - other.receivedAt) ||
    (one.messageId === other.messageId ? byText(one.event, other.event) : byText(one.messageId, other.messageId))
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
