/** Compiles conditions to subqueries that yield `user`, each user once. */
import { DAY_MICROS, dayOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import {
  type EventCondition,
  type Member,
  microsOf,
  type Period,
  type Times,
  type TraitCondition,
} from '../definition/audience.ts';
import type { ValueSql } from '../definition/value.ts';
import { testsSql } from '../operators/operators.ts';
import { userEventsWhere } from '../../stores/analytics/user-events.ts';
import { ColumnValue, isNameable } from './column-value.ts';
import type { Params, Scope } from './params.ts';
import { isAmong, personRows, personsWithTrait } from './persons.ts';
import { select } from './select.ts';
import { PropertyTextValue, TextValue } from './text-value.ts';
import { TraitValue } from './trait-value.ts';

/** Users whose trait passes the tests or, with `passes` false, fails them. `among` is a subquery of the same form. */
export function traitUsers(scope: Scope, condition: TraitCondition, passes: boolean, among: string | null): string {
  const { params, projectId } = scope;
  const [trait = '', ...nested] = condition.path;
  const value =
    nested.length === 0 ? new TraitValue(params, 'readable(value)') : new TextValue(params, 'readable(value)', nested);
  const test = testsSql(scope, value, condition.tests);
  const conditions = [
    `project_id = ${params.string(projectId)}`,
    `trait = ${params.string(trait)}`,
    // A deletion hides the older value only if FINAL sees it, so it is filtered after.
    `kind != 'deleted'`,
    passes ? test : `NOT (${test})`,
  ];
  if (scope.joins === true) {
    const ofTrait = conditions.slice(0, 2).join(' AND ');
    const own = select('SELECT user FROM trait_rows FINAL', conditions);
    const persons = personsWithTrait(scope, own, ofTrait, conditions.slice(2).join(' AND '));
    return among === null ? persons : select(`SELECT user FROM (${persons})`, [`user IN (${among})`]);
  }
  const isNarrowed = among === null && passes && condition.tests.some(({ test: name }) => FEW_PASS.has(name));
  const some = isNarrowed ? select('SELECT user FROM trait_rows', conditions) : among;
  return select(
    `SELECT user FROM trait_rows FINAL${narrowedTo(some === null ? null : `user IN (${some})`)}`,
    conditions,
  );
}

/** Tests that few values pass: FINAL then compares the rows of users alone who have ever had such a value. */
const FEW_PASS: ReadonlySet<string> = new Set(['ends_with', 'matches']);

/** Users who did it at least once and so often: `times` does not include zero. */
export function eventUsers(scope: Scope, condition: EventCondition, times: Times, among: string | null): string {
  const { where, first, last } = condition;
  const isBare = where.length === 0 && first === null && last === null;
  const rowsOf = (list: string, isOnce: boolean): string =>
    isBare ? anyCopies(scope, condition, list, isOnce, among) : firstCopies(scope, condition, list, among);
  if (scope.joins === true) {
    const having = havingSql(scope, condition, { message: 'message', time: 'at' }, times);
    const isOnce = having.length === 0;
    const list = isOnce ? 'user' : `user, ${messageSql(condition)} AS message, timestamp AS at`;
    return groupedByUser(`SELECT user FROM (${rowsOf(list, isOnce)})`, having);
  }
  const having = havingSql(scope, condition, { message: messageSql(condition), time: 'timestamp' }, times);
  return groupedByUser(rowsOf('user', having.length === 0), having);
}

export function groupedByUser(rows: string, having: readonly string[]): string {
  return `${rows} GROUP BY user${having.length === 0 ? '' : ` HAVING ${having.join(' AND ')}`}`;
}

/** The conditions on the events of a user: `message` tells messages apart, `time` is when an event was. */
export function havingSql(
  scope: Scope,
  { first, last }: EventCondition,
  { message, time }: { readonly message: string; readonly time: string },
  times: Times,
): readonly string[] {
  return [
    ...timesSql(scope.params, message, times),
    ...(first ? periodSql(scope, `min(${time})`, first) : []),
    ...(last ? periodSql(scope, `max(${time})`, last) : []),
  ];
}

/**
 * FINAL keeps the first copy of a repeat, merged or not, and only that copy counts.
 *
 * @param list What is selected, `user` among it: the person.
 */
export function firstCopies(scope: Scope, condition: EventCondition, list: string, among: string | null): string {
  return personRows(scope, firstCopiesOf(list, isAmong(scope, among), eventConditions(scope, condition)));
}

function firstCopiesOf(list: string, narrowing: string | null, conditions: readonly string[]): string {
  return select(`SELECT ${list} FROM track_rows FINAL${narrowedTo(narrowing)}`, conditions);
}

/**
 * The events of messages that have a single row on the days of the condition, which no copy can change, and the first
 * copies of all other messages. A message is looked for by its number alone: where two users gave the same id, both are
 * among the others.
 */
export function copiesApart(
  scope: Scope,
  condition: EventCondition,
  list: string,
): { readonly single: string; readonly repeated: string } {
  const days = onDays(scope, condition);
  const numbers = `${select('SELECT message_number FROM track_rows', days)} GROUP BY message_number HAVING count() > 1`;
  const conditions = eventConditions(scope, condition);
  return {
    single: personRows(
      scope,
      select(`SELECT ${list} FROM track_rows`, [`message_number NOT IN (${numbers})`, ...conditions]),
    ),
    repeated: personRows(scope, firstCopiesOf(list, `message_number IN (${numbers})`, conditions)),
  };
}

/** By the key alone, which is equal in every copy. */
function onDays(scope: Scope, condition: Pick<EventCondition, 'events' | 'within'>): readonly string[] {
  return [...eventNamed(scope, condition), ...(condition.within ? daysSql(scope, condition.within) : [])];
}

/** What an event itself must fulfil. */
export function eventConditions(
  scope: Scope,
  condition: Pick<EventCondition, 'events' | 'within' | 'where'>,
): readonly string[] {
  const { within, where } = condition;
  return [
    ...onDays(scope, condition),
    ...(within ? periodSql(scope, 'timestamp', within) : []),
    ...where.map((member) => memberSql(scope, member)),
  ];
}

/**
 * Where it only matters which messages there are, any copy of one will do: copies that FINAL merges have the same day, event
 * and user. It takes half the time of FINAL where rows have not been merged yet. Only on a day that is partly in the
 * period may a later copy lie in it and the first not: such a message does not count.
 *
 * @param isOnce It is not counted how often.
 */
function anyCopies(
  scope: Scope,
  condition: EventCondition,
  list: string,
  isOnce: boolean,
  among: string | null,
): string {
  const { events, within } = condition;
  const isOne = isAmong(scope, among);
  // In the order of users, who are then read and grouped several times faster than in the order of names and days.
  if (isOnce && events === null && within === null)
    return personRows(scope, select(`SELECT user FROM ${userEventsWhere(eventNamed(scope, condition))}`, [isOne]));
  const conditions = [
    ...eventConditions(scope, condition),
    within === null ? null : firstIsWithin(scope, condition, within),
    isOne,
  ];
  return personRows(scope, select(`SELECT ${list} FROM track_rows`, conditions));
}

/** Leaves out messages whose first copy is not in the period. Null if it has whole days alone. */
export function firstIsWithin(scope: Scope, condition: Pick<EventCondition, 'events'>, within: Period): string | null {
  const cut = cutDays(scope, within).join(', ');
  if (cut === '') return null;
  const isWithin = `(${periodSql(scope, 'timestamp', within).join(' AND ')})`;
  const key = 'event, day, user, message_number';
  const later = select(`SELECT ${key} FROM track_rows`, [...eventNamed(scope, condition), `day IN (${cut})`]);
  return (
    `(day NOT IN (${cut}) OR (${key}) NOT IN ` +
    `(${later} GROUP BY ${key} HAVING max(${isWithin}) AND NOT argMax(${isWithin}, precedence)))`
  );
}

/**
 * Filters before FINAL compares rows and before another column is read. This is correct because `user` is in the key,
 * and so is equal in every copy. ClickHouse does not move such a condition by itself.
 */
function narrowedTo(condition: string | null): string {
  return condition === null ? '' : ` PREWHERE ${condition}`;
}

function eventNamed({ params, projectId }: Scope, { events }: Pick<EventCondition, 'events'>): string[] {
  return [`project_id = ${params.string(projectId)}`, ...namesSql(params, events)];
}

/** Nothing for events of all names. */
export function namesSql(params: Params, events: readonly string[] | null): string[] {
  if (events === null) return [];
  const [only = '', ...others] = events;
  return [others.length === 0 ? `event = ${params.string(only)}` : `event IN ${params.strings(events)}`];
}

export function memberSql(scope: Scope, { path, tests }: Member): string {
  const { params } = scope;
  const texts = tests.flatMap((test) => (test.test === 'has' ? textsIn(test.members) : []));
  // Reading the list is dearer than looking for a text, and most events have none of these.
  const found = texts.map((text) => `multiSearchAny(properties_text, ${params.strings([text, ESCAPED])})`);
  const value: ValueSql = isNameable(path)
    ? new ColumnValue(params, path)
    : new PropertyTextValue(params, 'readable(properties_text)', path);
  return [...found, testsSql(scope, value, tests)].join(' AND ');
}

/** How JSON text writes a character by its number: the only other way to write those of `UNESCAPED`. */
const ESCAPED = String.raw`\u`;
const UNESCAPED = /^[\w -]+$/;

/** Texts that are in the JSON of any object with these members, unless a character is `ESCAPED`. */
function textsIn(members: readonly Member[]): readonly string[] {
  return members.flatMap(({ tests }) =>
    tests.flatMap((test) => {
      if (test.test === 'has') return textsIn(test.members);
      const isText = test.test === 'is' && typeof test.value === 'string' && test.ignoresCase !== true;
      return isText && UNESCAPED.test(test.value) ? [test.value] : [];
    }),
  );
}

/** 64 bits that stand for a message of one user: under two names an id is two messages. */
export function messageSql({ events }: EventCondition): string {
  return events?.length === 1 ? 'message_number' : 'bitXor(message_number, sipHash64(event))';
}

// For every event, `uniqUpTo` scans all values that it has of a user.
export const FEW = 16;

/** A repeat with another day is a separate row, so distinct message numbers are counted instead of rows. */
function timesSql(params: Params, message: string, { atLeast, atMost }: Times): string[] {
  if (atLeast <= 1 && atMost === null) return [];
  const enough = Math.max(atLeast, (atMost ?? 0) + 1);
  // `uniqUpTo` suffices for small numbers, and halves the time of an audience over many events.
  const times = enough <= FEW ? `uniqUpTo(${params.count(enough)})(${message})` : `uniqExact(${message})`;
  const conditions = [];
  if (atLeast > 1) conditions.push(`${times} >= ${params.count(atLeast)}`);
  if (atMost !== null) conditions.push(`${times} <= ${params.count(atMost)}`);
  return conditions;
}

export function periodSql(scope: Scope, time: string, { from, to }: Period): string[] {
  const conditions = [];
  if (from) conditions.push(`${time} >= ${scope.params.instant(microsOf(from, scope.now))}`);
  if (to) conditions.push(`${time} < ${scope.params.instant(microsOf(to, scope.now))}`);
  return conditions;
}

/** The period in terms of `day`, which is in the key. */
function daysSql(scope: Scope, { from, to }: Period): string[] {
  const conditions = [];
  if (from) conditions.push(`day >= toDate32(${scope.params.instant(microsOf(from, scope.now))})`);
  if (to) conditions.push(`day <= toDate32(${scope.params.instant(microsOf(to, scope.now))})`);
  return conditions;
}

/** The days of `daysSql` that may lie only partly in the period. */
function cutDays(scope: Scope, { from, to }: Period): string[] {
  const begin = from ? [microsOf(from, scope.now)].filter((micros) => micros % DAY_MICROS !== 0n) : [];
  const cut = [...begin, ...(to ? [microsOf(to, scope.now)] : [])];
  return [...new Set(cut.map((micros) => `toDate32(${scope.params.instant(micros)})`))];
}

/** Events that one of these conditions counts at `now`, or may count later. */
export function countableSql(params: Params, conditions: readonly EventCondition[], now: Micros): string {
  const ofNames = Map.groupBy(conditions, ({ events }) => JSON.stringify(events));
  const each = [...ofNames.values()].map((sameNames) => namedSql(params, sameNames, now));
  return `(${each.join(' OR ')})`;
}

/**
 * Events that one of these conditions counts now or may count later: all of them name the same events. In whole days,
 * because copies count by the day.
 */
function namedSql(params: Params, conditions: readonly EventCondition[], now: Micros): string {
  const froms = conditions.map(({ within }) => within?.from ?? null);
  const tos = conditions.map(({ within }) => within?.to ?? null);
  const sql = namesSql(params, conditions[0]?.events ?? null);
  if (froms.every((from) => from !== null)) {
    const earliest = least(froms.map((from) => microsOf(from, now)));
    sql.push(`timestamp >= ${params.instant(dayOf(earliest) * DAY_MICROS)}`);
  }
  // A moving end will pass events in the future.
  if (tos.every((to) => to !== null && 'at' in to)) {
    const nextDay = (dayOf(-least(tos.map((to) => -microsOf(to, now)))) + 1n) * DAY_MICROS;
    if (nextDay < END_OF_TIME) sql.push(`timestamp < ${params.instant(nextDay)}`);
  }
  return sql.length === 0 ? 'true' : `(${sql.join(' AND ')})`;
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((one, other) => (other < one ? other : one));
}
