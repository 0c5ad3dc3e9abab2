import type { EventCondition, Member, Period, Times } from './audience.ts';
import { MAX_CONDITIONS, MAX_EVENT_NAMES, MAX_TIMES } from './limits.ts';
import { readMember } from './read-member.ts';
import { readPeriod } from './read-period.ts';
import { isJsonObject, type Reading } from './reading.ts';

const KEYS = ['event', 'where', 'count', 'within', 'first', 'last'];
const ONCE_OR_MORE: Times = { atLeast: 1, atMost: null };

export function readEvent(reading: Reading, node: Record<string, unknown>, path: string): EventCondition | undefined {
  reading.onlyKeys(node, KEYS, path);
  const events = readEvents(reading, node['event'], `${path}/event`);
  const where = Object.hasOwn(node, 'where') ? readWhere(reading, node['where'], `${path}/where`) : [];
  const times = Object.hasOwn(node, 'count') ? readTimes(reading, node['count'], `${path}/count`) : ONCE_OR_MORE;
  const [within, first, last] = ['within', 'first', 'last'].map((key) => readOptionalPeriod(reading, node, key, path));
  if (times?.atMost === 0 && (first || last)) {
    return reading.refuse(`${path}/count`, 'is of what was never done, which has no first or last time');
  }
  if (events === undefined || !where || !times) return undefined;
  if (within === undefined || first === undefined || last === undefined) return undefined;
  return { kind: 'event', events, where, times, within, first, last };
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

export function readWhere(reading: Reading, value: unknown, path: string): readonly Member[] | undefined {
  const members = reading.list(value, path, MAX_CONDITIONS)?.map((item, index) => {
    const at = `${path}/${index}`;
    if (!reading.countCondition(at)) return undefined;
    const member = reading.object(item, at);
    return member && readMember(reading, 'property', member, at);
  });
  return members?.every((member) => member !== undefined) ? members : undefined;
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
