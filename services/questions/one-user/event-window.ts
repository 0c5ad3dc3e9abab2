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
import { type Course, isPassingAt } from '../operators/course.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import type { Steps } from '../steps.ts';

/** An event of one user that a condition counts if it lies within the condition's period. */
export interface CountedEvent {
  /** The event's name. */
  readonly event: string;
  readonly messageId: string;
  /** The number of the user whom it names: one who is known by an anonymous id that is joined may be another. */
  readonly user: string;
  readonly timestamp: Micros;
  readonly receivedAt: Micros;
  /** When the event passes the condition's `where`. Left out where it does at any time. */
  readonly moving?: Course;
  /** What the condition measures, and the precedence of this copy of the message. Left out where it measures nothing. */
  readonly measured?: { readonly value: MeasuredValue | null; readonly precedence: bigint };
}

/**
 * The events of one user that one condition counts, over time. Call `moveTo` with instants in ascending order. The
 * events within a period are a contiguous range of the events sorted by time, and both ends of the range only move
 * forward; of these, the ones count that pass `where`.
 */
export class EventWindow {
  readonly #condition: EventCondition;
  /** The events lie in all of these. */
  readonly #periods: readonly Period[];
  /** By time, those of one time in the order of their arrival. */
  readonly #events: readonly CountedEvent[];
  /** Messages in the range by `#keyOf`, each with its events in the range: copies may lie on several days. */
  readonly #messages = new Map<string, Set<CountedEvent>>();
  readonly #tally: Tally | null;
  readonly #steps: Steps;
  /** When events come to pass `where`, or no longer do, in order. */
  readonly #whereFlips: readonly WhereFlip[];
  #flipped = 0;
  #now: Micros;
  #begin = 0;
  #end = 0;

  constructor(condition: EventCondition, events: readonly CountedEvent[], { now, steps }: AtEvaluation) {
    const { within, sequence } = condition;
    const over = sequence?.which === 'any' ? timeOver(sequence) : null;
    steps.take(events.length);
    this.#condition = condition;
    this.#periods = [within, over].filter((period) => period !== null);
    this.#tally = condition.measure && new Tally(condition.measure);
    this.#steps = steps;
    this.#events = events.toSorted(byTime);
    this.#whereFlips = whereFlipsOf(this.#events, steps);
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
    for (let flip = this.#whereFlips[this.#flipped]; flip && flip.at <= now; flip = this.#whereFlips[++this.#flipped])
      if (flip.index >= this.#begin && flip.index < this.#end) this.#put(flip.index, this.#isPassing(flip.index));
  }

  protected get now(): Micros {
    return this.#now;
  }

  /** How many different messages. */
  get count(): number {
    return this.#messages.size;
  }

  get first(): CountedEvent | undefined {
    for (let index = this.#begin; index < this.#end; index++) if (this.#isPassing(index)) return this.#events[index];
    return undefined;
  }

  get last(): CountedEvent | undefined {
    for (let index = this.#end - 1; index >= this.#begin; index--)
      if (this.#isPassing(index)) return this.#events[index];
    return undefined;
  }

  /** The newest events counted, newest first, one of each message. */
  newest(atMost: number): readonly CountedEvent[] {
    const found = new Map<string, CountedEvent>();
    for (let index = this.#end - 1; index >= this.#begin && found.size < atMost; index--) {
      const event = this.#events[index];
      if (event && this.#isPassing(index) && !found.has(this.#keyOf(event))) found.set(this.#keyOf(event), event);
    }
    return [...found.values()];
  }

  get isMet(): boolean {
    const { times, first, last } = this.#condition;
    if (this.count < times.atLeast || this.count > (times.atMost ?? Infinity)) return false;
    if (this.#tally?.isMet === false) return false;
    return (
      (first === null || this.#liesWithin(this.first, first)) && (last === null || this.#liesWithin(this.last, last))
    );
  }

  /** The measure as the text of a JSON number; null where nothing is measured, or has a value. */
  get measured(): string | null {
    return this.#tally?.text ?? null;
  }

  /** The instants after now at which the result changes, in order. Taking one moves the window to it. */
  *flips(): Generator<Micros, void, undefined> {
    let current = this.isMet;
    for (const instant of this.#instants()) {
      this.moveTo(instant);
      if (this.isMet !== current) yield instant;
      current = this.isMet;
    }
  }

  /** Every instant after now at which an end of a period passes an event, or an event comes to pass `where` or no longer does. */
  #instants(): BigInt64Array {
    const { within, first, last, sequence } = this.#condition;
    const ages = agesPassed([within, first, last, sequence && timeOver(sequence)]);
    this.#steps.take(ages.length * this.#events.length);
    const ends = ages.flatMap((age) => this.#events.map(({ timestamp }) => timestamp + age));
    const instants = [...ends, ...this.#whereFlips.map(({ at }) => at), ...this.moreInstants()];
    return new BigInt64Array(instants.filter((instant) => instant > this.#now && instant < END_OF_TIME)).sort();
  }

  /** Others at which the result may change. */
  protected moreInstants(): readonly Micros[] {
    return [];
  }

  #liesWithin(event: CountedEvent | undefined, period: Period): boolean {
    return event !== undefined && liesWithin(event.timestamp, period, this.#now);
  }

  #isBefore(index: number, time: Micros): boolean {
    const event = this.#events[index];
    return event !== undefined && event.timestamp < time;
  }

  #isPassing(index: number): boolean {
    const moving = this.#events[index]?.moving;
    if (moving === undefined) return true;
    this.#steps.take(1);
    return isPassingAt(moving, this.#now);
  }

  /** A message: under two names an id is two messages. */
  #keyOf(event: CountedEvent | undefined): string {
    if (event === undefined) return '';
    return this.#condition.events?.length === 1 ? event.messageId : JSON.stringify([event.event, event.messageId]);
  }

  #enter(): void {
    if (this.#end >= this.#begin && this.#isPassing(this.#end)) this.#put(this.#end, true);
    this.#end++;
  }

  #leave(): void {
    if (this.#begin < this.#end) this.#put(this.#begin, false);
    this.#begin++;
  }

  /** Counts an event, or no longer. */
  #put(index: number, isCounted: boolean): void {
    const event = this.#events[index];
    const key = this.#keyOf(event);
    const copies = this.#messages.get(key) ?? new Set();
    if (event === undefined || copies.has(event) === isCounted) return;
    this.#tally?.remove(measuredOf(copies, this.#steps));
    if (isCounted) copies.add(event);
    else copies.delete(event);
    this.#tally?.add(measuredOf(copies, this.#steps));
    if (copies.size > 0) this.#messages.set(key, copies);
    else this.#messages.delete(key);
  }
}

interface WhereFlip {
  readonly at: Micros;
  /** The index of the event. */
  readonly index: number;
}

function whereFlipsOf(events: readonly CountedEvent[], steps: Steps): readonly WhereFlip[] {
  const flips: WhereFlip[] = [];
  for (const [index, { moving }] of events.entries()) {
    if (moving === undefined) continue;
    steps.take(moving.flips.length);
    for (const at of moving.flips) flips.push({ at, index });
  }
  return flips.sort((one, other) => Number(one.at - other.at));
}

/** What a message measures: the value of the copy that is first on the log, of those that have one. */
function measuredOf(copies: ReadonlySet<CountedEvent>, steps: Steps): MeasuredValue | null {
  let first: CountedEvent['measured'];
  steps.take(copies.size);
  for (const { measured } of copies)
    if (measured && measured.value !== null && (first === undefined || measured.precedence > first.precedence))
      first = measured;
  return first?.value ?? null;
}

/** The order of events: by time, those of one time by their arrival. Zero: neither is later. */
export function byTimeAndArrival(
  one: Pick<CountedEvent, 'timestamp' | 'receivedAt'>,
  other: Pick<CountedEvent, 'timestamp' | 'receivedAt'>,
): number {
  return Number(one.timestamp - other.timestamp) || Number(one.receivedAt - other.receivedAt);
}

/** Events that arrived at one time, in two processes, by their ids. */
function byTime(one: CountedEvent, other: CountedEvent): number {
  return (
    byTimeAndArrival(one, other) ||
    (one.messageId === other.messageId ? byText(one.event, other.event) : byText(one.messageId, other.messageId))
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
