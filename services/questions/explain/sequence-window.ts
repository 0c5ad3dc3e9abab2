import type { Micros } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { type EventCondition, liesWithin, type Sequence, timeOver } from '../definition/audience.ts';
import { type CountedEvent, EventWindow } from './event-window.ts';

/** The events of one user that a condition is about: `later` those of its later event, where it has one. */
export interface KnownEvents {
  readonly events: readonly CountedEvent[];
  readonly later: readonly CountedEvent[];
}

/** Steps of an event and an instant in which a user is looked at: a second's work. */
const MAX_STEPS = 5_000_000;

/**
 * The instants after `now` at which a condition of these events changes, in order. Where time changes what passes `where`,
 * the window is made anew of what passes.
 *
 * @throws TidemarkError `QUERY_LIMIT` past `MAX_STEPS`.
 */
export function* flipsOf(
  condition: EventCondition,
  known: KnownEvents,
  now: Micros,
): Generator<Micros, void, undefined> {
  const all = [...known.events, ...known.later];
  const moments = all.flatMap(({ moving }) => moving?.moments ?? []);
  if (moments.length === 0) {
    yield* windowOf(condition, known, now).flips();
    return;
  }
  const ends = new EventWindow(condition, known.events, now).instants();
  const instants = new BigInt64Array([...ends, ...moments]).sort();
  if (instants.length * all.length > MAX_STEPS)
    throw new TidemarkError('QUERY_LIMIT', 'the question went past its limit of rows');
  let { isMet } = windowAt(condition, known, now);
  for (const instant of instants) {
    if (windowAt(condition, known, instant).isMet === isMet) continue;
    isMet = !isMet;
    yield instant;
  }
}

/** The events that pass `where` at this instant. Ask about instants in ascending order. */
export function windowAt(condition: EventCondition, { events, later }: KnownEvents, now: Micros): EventWindow {
  const isPassing = ({ moving }: CountedEvent): boolean => moving?.passesAt(now) ?? true;
  return windowOf(condition, { events: events.filter(isPassing), later: later.filter(isPassing) }, now);
}

function windowOf(condition: EventCondition, { events, later }: KnownEvents, now: Micros): EventWindow {
  const { sequence } = condition;
  if (sequence === null) return new EventWindow(condition, events, now);
  const matching = events.filter(isMatching(sequence, later));
  if (sequence.which === 'any') return new EventWindow(condition, matching, now);
  return new OneEventWindow(condition, sequence, { events, matching: new Set(matching), now });
}

/** Whether an event is followed, or not, as the sequence asks. It says nothing of whether the time after it is over. */
function isMatching({ isFollowed, within }: Sequence, later: readonly CountedEvent[]) {
  const times = new BigInt64Array(later.map(({ timestamp }) => timestamp)).sort();
  return ({ timestamp }: CountedEvent): boolean => {
    const next = times[indexAfter(times, timestamp)];
    return isFollowed === (next !== undefined && next - timestamp <= within);
  };
}

/** The index of the first of these sorted times that is later. */
function indexAfter(times: BigInt64Array, time: Micros): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? time) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Counts at most one event: the first or the last within the period, if it is (not) followed. */
class OneEventWindow extends EventWindow {
  readonly #sequence: Sequence;
  readonly #matching: ReadonlySet<CountedEvent>;

  constructor(
    condition: EventCondition,
    sequence: Sequence,
    known: {
      readonly events: readonly CountedEvent[];
      readonly matching: ReadonlySet<CountedEvent>;
      readonly now: Micros;
    },
  ) {
    super(condition, known.events, known.now);
    this.#sequence = sequence;
    this.#matching = known.matching;
  }

  override get count(): number {
    return this.first === undefined ? 0 : 1;
  }

  override get first(): CountedEvent | undefined {
    const one = this.#sequence.which === 'first' ? super.first : super.last;
    const over = timeOver(this.#sequence);
    const isCounted = one && this.#matching.has(one) && (over === null || liesWithin(one.timestamp, over, this.now));
    return isCounted ? one : undefined;
  }

  override get last(): CountedEvent | undefined {
    return this.first;
  }

  override newest(atMost: number): readonly CountedEvent[] {
    return this.first === undefined ? [] : [this.first].slice(0, atMost);
  }
}
