/** Whether something passes while time goes on. Pure. */
import type { Micros } from '../../messages/message.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import type { Steps } from '../steps.ts';

export interface Course {
  /** At the evaluation. */
  readonly passes: boolean;
  /** The instants after it at which that changes, in order. */
  readonly flips: readonly Micros[];
}

const ALWAYS: Course = { passes: true, flips: [] };
const NEVER: Course = { passes: false, flips: [] };

export function unmoving(passes: boolean): Course {
  return passes ? ALWAYS : NEVER;
}

export function isPassingAt({ passes, flips }: Course, now: Micros): boolean {
  let [low, high] = [0, flips.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((flips[middle] ?? now) > now) high = middle;
    else low = middle + 1;
  }
  return passes === (low % 2 === 0);
}

/** What passes by this test, whose result changes at no other instants than these. */
export function flipping(moments: readonly Micros[], passesAt: (now: Micros) => boolean, now: Micros): Course {
  const ahead = moments
    .filter((instant) => instant > now && instant < END_OF_TIME)
    .sort((one, other) => (one < other ? -1 : 1));
  const passes = passesAt(now);
  let isPassing = passes;
  const flips = ahead.filter((instant) => {
    if (passesAt(instant) === isPassing) return false;
    isPassing = !isPassing;
    return true;
  });
  return { passes, flips };
}

export function opposite({ passes, flips }: Course): Course {
  return { passes: !passes, flips };
}

/** From an instant (inclusive) to another (exclusive). */
export type TimeSpan = readonly [from: Micros, to: Micros];

/** What passes within these spans, which may overlap. */
export function within(spans: readonly TimeSpan[], now: Micros): Course {
  const ahead = spans.filter(([from, to]) => from < to && to > now && from < END_OF_TIME);
  const begun = ahead.filter(([from]) => from <= now).length;
  const changes = ahead.flatMap(([from, to]) => [
    ...(from > now ? [changeAt(from, true)] : []),
    ...(to < END_OF_TIME ? [changeAt(to, false)] : []),
  ]);
  return counted(begun, 1, changes);
}

/** What passes where all of these do. What never passes ends it: what has no instants of its own comes first. */
export function allOf(courses: Iterable<Course>, steps: Steps): Course {
  return together(courses, NEVER, steps);
}

/** What passes where one of these does. */
export function anyOf(courses: Iterable<Course>, steps: Steps): Course {
  return together(courses, ALWAYS, steps);
}

/** @param deciding One such decides all. */
function together(courses: Iterable<Course>, deciding: Course, steps: Steps): Course {
  const moving: Course[] = [];
  for (const course of courses) {
    if (course.flips.length > 0) moving.push(course);
    else if (course.passes === deciding.passes) return deciding;
  }
  const [only, other] = moving;
  if (only === undefined) return unmoving(!deciding.passes);
  if (other === undefined) return only;
  steps.take(moving.reduce((sum, { flips }) => sum + flips.length, 0));
  const changes = moving.flatMap(({ passes, flips }) =>
    flips.map((instant, index) => changeAt(instant, passes === (index % 2 === 1))),
  );
  const passing = moving.filter(({ passes }) => passes).length;
  return counted(passing, deciding.passes ? 1 : moving.length, changes);
}

/** An instant at which one more passes, or one fewer. A number sorts quickly. */
function changeAt(instant: Micros, isPassing: boolean): bigint {
  return (instant << 1n) | (isPassing ? 1n : 0n);
}

/** Goes through all instants once. @param passing How many pass at first. @param least How many must. */
function counted(passing: number, least: number, changes: readonly bigint[]): Course {
  const flips: Micros[] = [];
  const sorted = new BigInt64Array(changes).sort();
  let [count, isPassing] = [passing, passing >= least];
  for (const [index, change] of sorted.entries()) {
    count += (change & 1n) === 1n ? 1 : -1;
    const next = sorted[index + 1];
    if ((next !== undefined && next >> 1n === change >> 1n) || count >= least === isPassing) continue;
    isPassing = !isPassing;
    flips.push(change >> 1n);
  }
  return { passes: passing >= least, flips };
}
