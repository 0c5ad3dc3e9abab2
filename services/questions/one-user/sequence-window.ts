import type { Micros } from '../../messages/message.ts';
import { type EventCondition, liesWithin, type Sequence, timeOver } from '../definition/audience.ts';
import { allOf, anyOf, type Course, isPassingAt, opposite, unmoving } from '../operators/course.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import type { Steps } from '../steps.ts';
import { type CountedEvent, EventWindow, byTimeAndArrival } from './event-window.ts';

/** The events of one user that a condition is about, and those of its later events. */
export type KnownEvents = ReadonlyMap<EventCondition, readonly CountedEvent[]>;

/** The events that a condition counts from the evaluation on. @throws TidemarkError `QUERY_LIMIT`, as `Steps`. */
export function windowOf(condition: EventCondition, known: KnownEvents, at: AtEvaluation): EventWindow {
  const { sequence } = condition;
  const events = known.get(condition) ?? [];
  if (sequence === null) return new EventWindow(condition, events, at);
  const matching = matches(sequence, followersOf(sequence, known, at.steps), at.steps);
  if (sequence.which === 'any') return new EventWindow(condition, matchingOf(events, matching, at.steps), at);
  return new OneEventWindow(condition, sequence, new Map(events.map((event) => [event, matching(event)])), at);
}

/** The later events, each with when it is followed in its turn, where that is asked. */
function followersOf({ later }: Sequence, known: KnownEvents, steps: Steps): readonly CountedEvent[] {
  const events = known.get(later) ?? [];
  if (later.sequence === null) return events;
  return matchingOf(events, matches(later.sequence, followersOf(later.sequence, known, steps), steps), steps);
}

type Matching = (event: CountedEvent) => Course;

function matchingOf(events: readonly CountedEvent[], matching: Matching, steps: Steps): readonly CountedEvent[] {
  return events.flatMap((event) => {
    const course = allOf([matching(event), event.moving ?? unmoving(true)], steps);
    if (course.flips.length > 0) return [{ ...event, moving: course }];
    return course.passes ? [event] : [];
  });
}

/** Whether an event is followed, or not, as the sequence asks. It says nothing of whether the time after it is over. */
function matches({ isFollowed, within }: Sequence, later: readonly CountedEvent[], steps: Steps): Matching {
  steps.take(later.length);
  const sorted = later.toSorted(byTimeAndArrival);
  const lasting = sorted.filter(({ moving }) => moving === undefined);
  const moving = sorted.length === lasting.length ? [] : sorted.filter((event) => event.moving !== undefined);
  const isInTime = (one: CountedEvent, next: CountedEvent | undefined): next is CountedEvent =>
    next !== undefined && next.timestamp - one.timestamp <= within;
  const followers = function* (event: CountedEvent): Generator<Course, void, undefined> {
    if (isInTime(event, lasting[indexAfter(lasting, event)])) yield unmoving(true);
    for (let index = indexAfter(moving, event); isInTime(event, moving[index]); index++) {
      steps.take(1);
      yield moving[index]?.moving ?? unmoving(true);
    }
  };
  return (event) => {
    const followed = anyOf(followers(event), steps);
    return isFollowed ? followed : opposite(followed);
  };
}

/** The index of the first of these sorted events that is later. */
function indexAfter(events: readonly CountedEvent[], event: CountedEvent): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byTimeAndArrival(events[middle] ?? event, event) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Counts at most one event: the first or the last within the period, if it is (not) followed. */
class OneEventWindow extends EventWindow {
  readonly #sequence: Sequence;
  readonly #matching: ReadonlyMap<CountedEvent, Course>;

  constructor(
    condition: EventCondition,
    sequence: Sequence,
    matching: ReadonlyMap<CountedEvent, Course>,
    at: AtEvaluation,
  ) {
    super(condition, [...matching.keys()], at);
    this.#sequence = sequence;
    this.#matching = matching;
  }

  override get count(): number {
    return this.first === undefined ? 0 : 1;
  }

  override get first(): CountedEvent | undefined {
    const one = this.#sequence.which === 'first' ? super.first : super.last;
    const over = timeOver(this.#sequence);
    const matching = one && this.#matching.get(one);
    const isCounted =
      matching && isPassingAt(matching, this.now) && (over === null || liesWithin(one.timestamp, over, this.now));
    return isCounted ? one : undefined;
  }

  override get last(): CountedEvent | undefined {
    return this.first;
  }

  override newest(atMost: number): readonly CountedEvent[] {
    return this.first === undefined ? [] : [this.first].slice(0, atMost);
  }

  protected override moreInstants(): readonly Micros[] {
    return [...this.#matching.values()].flatMap(({ flips }) => flips);
  }
}
