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
  /** Messages in the range by `#keyOf`, and how many of its events each has: copies may lie on several days. */
  readonly #messages = new Map<string, number>();
  #now: Micros;
  #begin = 0;
  #end = 0;

  constructor(condition: EventCondition, events: readonly CountedEvent[], now: Micros) {
    const { within, sequence } = condition;
    const over = sequence?.which === 'any' ? timeOver(sequence) : null;
    this.#condition = condition;
    this.#periods = [within, over].filter((period) => period !== null);
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
    return this.#isTimely(this.first, first) && this.#isTimely(this.last, last);
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
    const id = this.#keyOf(this.#events[this.#end]);
    if (this.#end >= this.#begin) this.#messages.set(id, (this.#messages.get(id) ?? 0) + 1);
    this.#end++;
  }

  #leave(): void {
    const id = this.#keyOf(this.#events[this.#begin]);
    if (this.#begin < this.#end) {
      const others = (this.#messages.get(id) ?? 0) - 1;
      if (others > 0) this.#messages.set(id, others);
      else this.#messages.delete(id);
    }
    this.#begin++;
  }
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
