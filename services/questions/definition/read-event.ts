import type { EventCondition, Period, Sequence, Times } from './audience.ts';
import { MAX_EVENT_NAMES, MAX_STEPS_IN_SEQUENCE, MAX_TIMES } from './limits.ts';
import { readMeasure } from '../measures/read-measure.ts';
import { readMembers } from '../operators/operators.ts';
import { readDuration, readPeriod } from './read-period.ts';
import { isJsonObject, type Reading } from './reading.ts';

const KEYS = [
  'event',
  'where',
  'count',
  'within',
  'first',
  'last',
  'followed_by',
  'not_followed_by',
  'which',
  'measure',
];
const STEP_KEYS = ['event', 'where', 'within'];
const LATER_KEYS = [...STEP_KEYS, 'followed_by'];
const WHICH = ['any', 'first', 'last'] as const;
const ONCE_OR_MORE: Times = { atLeast: 1, atMost: null };
const ONCE = { kind: 'event', times: ONCE_OR_MORE, first: null, last: null, sequence: null, measure: null } as const;

/** @param keys Which members it may have. */
export function readEvent(
  reading: Reading,
  node: Record<string, unknown>,
  path: string,
  keys: readonly string[] = KEYS,
): EventCondition | undefined {
  reading.onlyKeys(node, keys, path);
  const events = readEvents(reading, node['event'], `${path}/event`);
  const where = Object.hasOwn(node, 'where') ? readMembers(reading, node['where'], `${path}/where`) : [];
  const times = Object.hasOwn(node, 'count') ? readTimes(reading, node['count'], `${path}/count`) : ONCE_OR_MORE;
  const [within, first, last] = ['within', 'first', 'last'].map((key) => readOptionalPeriod(reading, node, key, path));
  const sequence = readSequence(reading, node, path, within ?? null);
  const measure = Object.hasOwn(node, 'measure') ? readMeasure(reading, node['measure'], `${path}/measure`) : null;
  const parts = { events, where, times, within, first, last, sequence, measure };
  return isConsistent(reading, parts, path) && areRead(parts) ? { kind: 'event', ...parts } : undefined;
}

type Parts = Omit<EventCondition, 'kind'>;
type MaybeParts = { readonly [K in keyof Parts]: Parts[K] | undefined };

function areRead(parts: MaybeParts): parts is Parts {
  return Object.values(parts).every((part) => part !== undefined);
}

/** Returns false after it has refused parts that do not belong together. */
function isConsistent(reading: Reading, { times, first, last, measure, sequence }: MaybeParts, path: string): boolean {
  if (times?.atMost === 0 && (first || last || measure)) {
    reading.refuse(`${path}/count`, 'is of what was never done, which has no first or last time and no measure');
    return false;
  }
  if (!measure || !sequence || sequence.which === 'any') return true;
  reading.refuse(`${path}/measure`, `is of several events, and which takes the ${sequence.which} alone`);
  return false;
}

/** Null for any event. */
function readEvents(reading: Reading, value: unknown, path: string): EventCondition['events'] | undefined {
  if (!isJsonObject(value)) return readEventNames(reading, value, path);
  reading.onlyKeys(value, ['any'], path);
  return value['any'] === true ? null : reading.refuse(`${path}/any`, 'is not true');
}

/** One name, or a list of different ones. */
export function readEventNames(reading: Reading, value: unknown, path: string): readonly string[] | undefined {
  if (!Array.isArray(value)) {
    const name = reading.text(value, path, 1);
    return name === undefined ? undefined : [name];
  }
  const names = reading
    .list(value, path, MAX_EVENT_NAMES)
    ?.map((name, index) => reading.text(name, `${path}/${index}`, 1));
  if (!names?.every((name) => name !== undefined)) return undefined;
  return new Set(names).size === names.length ? names : reading.refuse(path, 'names an event twice');
}

function readTimes(reading: Reading, value: unknown, path: string): Times | undefined {
  const count = reading.object(value, path);
  if (!count) return undefined;
  reading.onlyKeys(count, ['at_least', 'at_most', 'exactly'], path);
  const [atLeast, atMost, exactly] = ['at_least', 'at_most', 'exactly'].map((key) =>
    Object.hasOwn(count, key) ? readNumberOfTimes(reading, count[key], `${path}/${key}`) : null,
  );
  if (atLeast === undefined || atMost === undefined || exactly === undefined) return undefined;
  if (exactly !== null) {
    if (atLeast === null && atMost === null) return { atLeast: exactly, atMost: exactly };
    return reading.refuse(path, 'has exactly beside at_least or at_most');
  }
  if (atLeast === null && atMost === null) return reading.refuse(path, 'needs at_least, at_most or exactly');
  if (atLeast !== null && atMost !== null && atLeast > atMost)
    return reading.refuse(path, 'is at least more than at most');
  return { atLeast: atLeast ?? 0, atMost };
}

function readNumberOfTimes(reading: Reading, value: unknown, path: string): number | undefined {
  const isNumber = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TIMES;
  return isNumber ? value : reading.refuse(path, `is not a whole number from 0 to ${MAX_TIMES}`);
}

/** Null where it is not given. */
function readOptionalPeriod(
  reading: Reading,
  node: Record<string, unknown>,
  key: string,
  path: string,
): Period | null | undefined {
  return Object.hasOwn(node, key) ? readPeriod(reading, node[key], `${path}/${key}`) : null;
}

/** The later event of an event's condition, whose own period is `within`; null where it has no such. */
function readSequence(
  reading: Reading,
  node: Record<string, unknown>,
  path: string,
  within: Period | null,
): Sequence | null | undefined {
  const [key, other] = ['followed_by', 'not_followed_by'].filter((name) => Object.hasOwn(node, name));
  if (key === undefined) {
    return Object.hasOwn(node, 'which')
      ? reading.refuse(`${path}/which`, 'needs followed_by or not_followed_by')
      : null;
  }
  if (other !== undefined) return reading.refuse(path, 'has followed_by beside not_followed_by');
  const which = readWhich(reading, node, path);
  const later = readLater(reading, node[key], `${path}/${key}`, { period: within, mayGoOn: key === 'followed_by' });
  if (which !== undefined && which !== 'any' && Object.hasOwn(node, 'count')) {
    return reading.refuse(`${path}/count`, `is of any number of events, and which takes the ${which} alone`);
  }
  return which && later && { ...later, isFollowed: key === 'followed_by', which };
}

function readWhich(reading: Reading, node: Record<string, unknown>, path: string): Sequence['which'] | undefined {
  if (!Object.hasOwn(node, 'which')) return 'any';
  return (
    WHICH.find((one) => one === node['which']) ?? reading.refuse(`${path}/which`, `is not one of ${WHICH.join(', ')}`)
  );
}

/** What stands before a later event. */
interface Before {
  /** Its period; null: any time. */
  readonly period: Period | null;
  /** Whether another may follow the later event in its turn. */
  readonly mayGoOn: boolean;
  /** How many events there are before it. Default: one. */
  readonly events?: number;
}

function readLater(
  reading: Reading,
  value: unknown,
  path: string,
  { period, mayGoOn, events: before = 1 }: Before,
): Pick<Sequence, 'later' | 'within'> | undefined {
  const body = reading.object(value, path);
  if (!body) return undefined;
  reading.onlyKeys(body, mayGoOn ? LATER_KEYS : STEP_KEYS, path);
  if (before === MAX_STEPS_IN_SEQUENCE)
    return reading.refuse(path, `is one event more than the ${MAX_STEPS_IN_SEQUENCE} of a sequence`);
  const step = readStep(reading, body, path);
  const within = readDuration(reading, body['within'], `${path}/within`);
  if (!step || within === undefined) return undefined;
  const ofLater = period && { from: period.from, to: laterBy(period.to, within) };
  const later = { ...ONCE, ...step, within: ofLater };
  if (!Object.hasOwn(body, 'followed_by')) return { later, within };
  const of = { period: ofLater, mayGoOn, events: before + 1 };
  const next = readLater(reading, body['followed_by'], `${path}/followed_by`, of);
  return next && { later: { ...later, sequence: { ...next, isFollowed: true, which: 'any' } }, within };
}

/** The names and the properties of one event of several. */
function readStep(
  reading: Reading,
  body: Readonly<Record<string, unknown>>,
  path: string,
): Pick<EventCondition, 'events' | 'where'> | undefined {
  if (!reading.countCondition(path)) return undefined;
  const events = readEvents(reading, body['event'], `${path}/event`);
  const where = Object.hasOwn(body, 'where') ? readMembers(reading, body['where'], `${path}/where`) : [];
  return events === undefined || !where ? undefined : { events, where };
}

function laterBy(end: Period['to'], within: bigint): Period['to'] {
  if (end === null) return null;
  return 'at' in end ? { at: end.at + within } : { ago: end.ago - within };
}
