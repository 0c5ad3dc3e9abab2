/** The users who may come to be in an audience, or to leave it, because time passes. Pure. */
import type { Micros } from '../../messages/message.ts';
import {
  agesPassed,
  type Audience,
  type Condition,
  type EventCondition,
  inSequence,
  isCondition,
  type Member,
  type Period,
  type SampleCondition,
  type Test,
  timeOver,
  type Times,
} from '../definition/audience.ts';
import { areMoving, isMoving } from '../operators/operators.ts';

/** Two audiences that are asked at the beginning of a span of time. */
export interface TimeBounds {
  /** Everybody who is in the audience at some instant of the span, if no further message arrives, and maybe others. */
  readonly may: Audience;
  /** Only users who are in it at every instant of the span, though maybe not all of them. */
  readonly always: Audience;
}

/** Nobody is in it. */
export const NOBODY: SampleCondition = { kind: 'sample', hundredths: 0, seed: 'nobody' };
const EVERYBODY: Audience = { kind: 'not', of: NOBODY };

/** @param span From the evaluation of both audiences on, that instant and the last one included. */
export function boundsWithin(audience: Audience, span: Micros): TimeBounds {
  if (isCondition(audience)) return conditionBounds(audience, span);
  if (audience.kind === 'audience') return boundsWithin(audience.of, span);
  if (audience.kind === 'not') {
    const { may, always } = boundsWithin(audience.of, span);
    return { may: { kind: 'not', of: always }, always: { kind: 'not', of: may } };
  }
  const parts = audience.of.map((part) => boundsWithin(part, span));
  return {
    may: { kind: audience.kind, of: parts.map(({ may }) => may) },
    always: { kind: audience.kind, of: parts.map(({ always }) => always) },
  };
}

/** Users whom time alone may bring into the audience within the span, or out of it. Null: time changes nothing. */
export function mayChange(audience: Audience, span: Micros): Audience | null {
  if (audience.kind === 'not' || audience.kind === 'audience') return mayChange(audience.of, span);
  const isCount = audience.kind === 'event' && isPlainCount(audience);
  if (isCondition(audience) && !isCount) {
    const crossing = crossingOf(audience, span);
    return crossing.length === 0 ? null : { kind: 'any', of: crossing };
  }
  if (audience.kind === 'all' || audience.kind === 'any') {
    const changes = audience.of.map((part) => mayChange(part, span));
    const [only = null, ...others] = changes.filter((change) => change !== null);
    // The bounds ask each part four times. A question of one condition took four times as long for that.
    if (others.length === 0) return only && { kind: 'all', of: [only, ...decidedByIt(audience, changes)] };
  }
  const { may, always } = boundsWithin(audience, span);
  if (may === always || sameText(may, always)) return null;
  return { kind: 'all', of: [may, { kind: 'not', of: always }] };
}

/** What the parts of a group that time does not change must be, so that the one that it changes decides the group. */
function decidedByIt(
  { kind, of }: Extract<Audience, { kind: 'all' | 'any' }>,
  changes: readonly (Audience | null)[],
): readonly Audience[] {
  const unmoving = of.filter((_, index) => changes[index] === null);
  return kind === 'all' ? unmoving : unmoving.map((part) => ({ kind: 'not', of: part }));
}

/** The text of an audience: two with the same text ask the same. */
export function textOf(audience: Audience): string {
  return JSON.stringify(audience, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function sameText(one: Audience, other: Audience): boolean {
  return textOf(one) === textOf(other);
}

function conditionBounds(condition: Condition, span: Micros): TimeBounds {
  if (condition.kind === 'event' && isPlainCount(condition)) return countBounds(condition, span);
  const crossing = crossingOf(condition, span);
  if (crossing.length === 0) return { may: condition, always: condition };
  const changing: Audience = { kind: 'any', of: crossing };
  return {
    may: { kind: 'any', of: [condition, changing] },
    always: { kind: 'all', of: [condition, { kind: 'not', of: changing }] },
  };
}

/** It counts the events in a period that moves, and asks nothing else that time changes. */
function isPlainCount({ within, first, last, sequence, measure, where }: EventCondition): boolean {
  const isPlain = first === null && last === null && sequence === null && measure === null;
  return isPlain && agesPassed([within]).length > 0 && !areMoving(where);
}

/** At every instant the count is at most that of all events which the period ever has, and at least that of those it keeps. */
function countBounds(condition: EventCondition, span: Micros): TimeBounds {
  const { atLeast, atMost } = condition.times;
  const counted = (period: Period | null, times: Times): Audience => {
    if (times.atLeast === 0 && times.atMost === null) return EVERYBODY;
    if (period === null) return times.atLeast === 0 ? EVERYBODY : NOBODY;
    return { ...condition, within: period, times };
  };
  const [most, least] = [widest(condition.within, span), narrowest(condition.within, span)];
  const enough = { atLeast, atMost: null };
  const notTooMany = { atLeast: 0, atMost };
  return {
    may: { kind: 'all', of: [counted(most, enough), counted(least, notTooMany)] },
    always: { kind: 'all', of: [counted(least, enough), counted(most, notTooMany)] },
  };
}

/** What lies in the period at some instant of the span. */
function widest(period: Period | null, span: Micros): Period {
  const { from = null, to = null } = period ?? {};
  return { from, to: to !== null && 'ago' in to ? { ago: to.ago - span } : to };
}

/** What lies in the period at every instant of the span; null: nothing does. */
function narrowest(period: Period | null, span: Micros): Period | null {
  const { from = null, to = null } = period ?? {};
  const latest = from !== null && 'ago' in from ? { ago: from.ago - span } : from;
  const isEmpty = latest !== null && to !== null && 'ago' in latest && 'ago' in to && latest.ago <= to.ago;
  return isEmpty ? null : { from: latest, to };
}

/** Audiences of which one has every user for whom the condition may change within the span. None: it does not change. */
function crossingOf(condition: Condition, span: Micros): readonly Audience[] {
  if (condition.kind === 'sample' || condition.kind === 'users') return [];
  if (condition.kind === 'trait') {
    const { path } = condition;
    return crossingTests(condition.tests, span).map((test) => ({ kind: 'trait', path, tests: [test] }));
  }
  const { within, first, last, sequence } = condition;
  const ages = agesPassed([within, first, last, sequence && timeOver(sequence)]);
  const passed = ages.map((age) => someEvent(condition, { within: crossed(age - 1n, span) }));
  const changed = inSequence(condition).flatMap((counted) =>
    counted.where.flatMap(({ path, tests }) =>
      crossingTests(tests, span).map((test) => someEvent(counted, { where: [{ path, tests: [test] }] })),
    ),
  );
  return [...passed, ...changed];
}

/** An event of these names, whenever it was, but for what is given. */
function someEvent(
  { events }: EventCondition,
  given: { readonly within?: Period; readonly where?: readonly Member[] },
): EventCondition {
  const times = { atLeast: 1, atMost: null };
  return { kind: 'event', events, where: [], within: null, ...given, times, first: null, last: null, ...ALONE };
}

const ALONE = { sequence: null, measure: null };

/** The times that an end of a period, this long before the evaluation, passes within the span. */
function crossed(ago: Micros, span: Micros): Period {
  return { from: { ago }, to: { ago: ago - span } };
}

/** Tests of which a value passes one if time alone changes within the span whether it passes these. */
function crossingTests(tests: readonly Test[], span: Micros): readonly Test[] {
  return tests.filter((test) => isMoving([test])).flatMap((test) => crossingTest(test, span));
}

function crossingTest(test: Test, span: Micros): readonly Test[] {
  if (test.test === 'date') {
    const { when } = test;
    // Days that are over within the span have begun before it.
    if ('upTo' in when) return [{ ...test, when: { upTo: when.upTo + span } }];
    return agesPassed([when]).map((age) => ({ ...test, when: crossed(age - 1n, span) }));
  }
  if (test.test !== 'has') return [];
  return test.members.flatMap(({ path, tests }) =>
    crossingTests(tests, span).map((inner): Test => ({ test: 'has', members: [{ path, tests: [inner] }] })),
  );
}
