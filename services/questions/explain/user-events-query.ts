/** Reads the events of one user that some conditions test. It reads only the user's rows, a few granules. */
import { DAY_MICROS, dayOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { userEventsWhere } from '../../stores/analytics/user-events.ts';
import { type EventCondition, microsOf } from '../definition/audience.ts';
import { MAX_PAGE_CHARS, type QueryBudget } from '../query-budget.ts';
import { measuredValue } from '../measures/tally.ts';
import { unmoving } from '../operators/course.ts';
import { Params } from '../sql/params.ts';
import { namesSql } from '../sql/user-sets.ts';
import { eventDigitsSql, matchedTexts } from '../operators/matched-texts.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import { areMoving, courseOfMembers, passesMembers } from '../operators/operators.ts';
import { withFunctions } from '../sql/functions.ts';
import { parseStoredJson, valueAt } from '../sql/stored-value.ts';
import type { CountedEvent } from './event-window.ts';

export interface OneUser {
  readonly projectId: string;
  readonly userKey: string;
}

export interface EventRow {
  readonly message_id: string;
  readonly event: string;
  /** Microseconds, as are all times here; 64-bit integers are strings. */
  readonly occurred: string;
  readonly received: string;
  readonly precedence: string;
  readonly text: string;
  /** By `eventDigitsSql` of the conditions. */
  readonly digits: string;
}

/** An event with the conditions that its properties pass. */
export interface Copy extends CountedEvent {
  readonly precedence: bigint;
  /** The conditions that name it and whose `where` it passes, now or, where it is `moving`, at some time. */
  readonly passes: ReadonlyMap<EventCondition, Pick<CountedEvent, 'moving' | 'measured'> | null>;
}

// An event may have 500 KB, so the first page is small.
const FIRST_ROWS = 100;
const MAX_PAGE_ROWS = 20_000;

// A tenth of what one person does in years. Each event takes some 300 bytes of memory.
export const MAX_EVENTS = 200_000;

/**
 * Returns for each condition the events that it counts if they lie within its period, at `now` or later; the same for the
 * later event of a sequence, whether or not it follows one. The first in the
 * log counts among several copies of a message on one day, as in `track_rows FINAL`.
 *
 * @throws TidemarkError `QUERY_LIMIT` if the user has more events than can be read; and as `AnalyticsReader.ask`.
 */
export async function readUserEvents(
  asking: QueryBudget,
  user: OneUser,
  asked: readonly EventCondition[],
  at: AtEvaluation,
): Promise<ReadonlyMap<EventCondition, readonly CountedEvent[]>> {
  const events = eventsOfConditions(asked);
  for (const scope of scopesOf(asked)) addCopies(events, await firstCopies(asking, user, scope, at));
  return events;
}

/** Conditions whose events are read together. */
export interface EventScope {
  readonly conditions: readonly EventCondition[];
  /** The text of properties is read only of events whose properties are tested. */
  readonly withText: boolean;
}

/** The conditions and the later ones of their sequences, each in the scope that reads what it tests. */
export function scopesOf(asked: readonly EventCondition[]): readonly EventScope[] {
  const conditions = withLater(asked);
  const scopes = [false, true].map((withText) => ({
    conditions: conditions.filter(({ where, measure }) => (where.length > 0 || measure !== null) === withText),
    withText,
  }));
  return scopes.filter((scope) => scope.conditions.length > 0);
}

/** No events yet for each of these conditions and the later ones of their sequences. */
export function eventsOfConditions(asked: readonly EventCondition[]): Map<EventCondition, CountedEvent[]> {
  return new Map(withLater(asked).map((condition) => [condition, []]));
}

function withLater(asked: readonly EventCondition[]): readonly EventCondition[] {
  const all = asked.flatMap((condition) => [condition, ...(condition.sequence ? [condition.sequence.later] : [])]);
  return [...new Set(all)];
}

export function addCopies(events: ReadonlyMap<EventCondition, CountedEvent[]>, copies: Iterable<Copy>): void {
  for (const copy of copies)
    for (const [condition, more] of copy.passes) events.get(condition)?.push(more ? { ...copy, ...more } : copy);
}

async function firstCopies(
  asking: QueryBudget,
  user: OneUser,
  wanted: EventScope,
  at: AtEvaluation,
): Promise<Iterable<Copy>> {
  const yielder = new EventLoopYielder();
  const conditionsOf = conditionsByName(wanted);
  const copies = new Map<string, Copy>();
  let after: EventRow | undefined;
  let limit = wanted.withText ? FIRST_ROWS : MAX_PAGE_ROWS;
  for (;;) {
    const rows = await asking.ask<EventRow>(pageQuery(user, wanted, at.now, { after, limit }));
    for (const row of rows) {
      keepFirst(copies, row, conditionsOf(row.event), at);
      if (!yielder.isOver()) continue;
      asking.checkTime();
      await yielder.next();
    }
    if (copies.size > MAX_EVENTS) throw new TidemarkError('QUERY_LIMIT', 'the question went past its limit of rows');
    after = rows.at(-1);
    if (rows.length < limit || after === undefined) return copies.values();
    const chars = rows.reduce((sum, { text }) => sum + text.length, 0);
    limit = Math.min(MAX_PAGE_ROWS, Math.max(1, Math.floor((MAX_PAGE_CHARS * rows.length) / Math.max(chars, 1))));
  }
}

/** Those that are about an event of this name. */
export function conditionsByName({ conditions }: EventScope): (event: string) => readonly EventCondition[] {
  const byName = new Map<string, readonly EventCondition[]>();
  return (event) => {
    const known = byName.get(event) ?? conditions.filter(({ events }) => events?.includes(event) ?? true);
    byName.set(event, known);
    return known;
  };
}

/** Keeps, of the copies of a message on one day, the one that is first on the log. */
export function keepFirst(
  copies: Map<string, Copy>,
  row: EventRow,
  conditions: readonly EventCondition[],
  at: AtEvaluation,
): void {
  const timestamp = BigInt(row.occurred);
  const precedence = BigInt(row.precedence);
  const key = JSON.stringify([row.event, String(dayOf(timestamp)), row.message_id]);
  if ((copies.get(key)?.precedence ?? -1n) >= precedence) return;
  const passes = conditionsPassed(row, conditions, at);
  copies.set(key, {
    event: row.event,
    messageId: row.message_id,
    timestamp,
    receivedAt: BigInt(row.received),
    precedence,
    passes,
  });
}

/** @param conditions Those about an event of its name. */
function conditionsPassed(
  { text, precedence, digits }: EventRow,
  conditions: readonly EventCondition[],
  at: AtEvaluation,
): Copy['passes'] {
  const properties = text === '' ? {} : parseStoredJson(text);
  const values = conditions.flatMap(({ where }) => where);
  at.steps.take(digits.length);
  const matched = matchedTexts(
    values.map(({ path, tests }) => ({ value: valueAt(properties, path), tests })),
    digits,
  );
  const tested = { ...at, location: 'property', matched } as const;
  const passes = new Map<EventCondition, Pick<CountedEvent, 'moving' | 'measured'> | null>();
  for (const condition of conditions) {
    const { where, measure } = condition;
    at.steps.of = condition;
    at.steps.take(1);
    const course = areMoving(where)
      ? courseOfMembers(properties, where, tested)
      : unmoving(passesMembers(properties, where, tested));
    const isMoving = course.flips.length > 0;
    if (!isMoving && !course.passes) continue;
    const measured = measure && {
      measured: { value: measuredValue(measure, properties), precedence: BigInt(precedence) },
    };
    passes.set(condition, isMoving ? { moving: course, ...measured } : measured);
  }
  return passes;
}

/**
 * A page in order of time and message. WITH TIES includes the copies of the last message, so the next page begins after
 * them.
 */
function pageQuery(
  { projectId, userKey }: OneUser,
  { conditions, withText }: EventScope,
  now: Micros,
  { after, limit }: { readonly after: EventRow | undefined; readonly limit: number },
) {
  const params = new Params();
  const where = [
    `project_id = ${params.string(projectId)}`,
    `user = ${params.user(userKey)}`,
    countableSql(params, conditions, now),
    ...(after ? afterSql(params, after) : []),
  ];
  const sql =
    `SELECT ${columnsSql(params, { conditions, withText })} FROM ${userEventsWhere(where)} ` +
    `ORDER BY timestamp, message_id LIMIT ${params.count(limit)} WITH TIES`;
  return { projectId, sql: withFunctions(sql), params: params.values() };
}

/** The columns of an `EventRow`. */
export function columnsSql(params: Params, { conditions, withText }: EventScope): string {
  return (
    'message_id, event, toUnixTimestamp64Micro(timestamp) AS occurred, ' +
    `toUnixTimestamp64Micro(received_at) AS received, precedence, ${withText ? 'properties_text' : "''"} AS text, ` +
    `${eventDigitsSql(params, conditions)} AS digits`
  );
}

/** Events that one of these conditions counts at `now`, or may count later. */
export function countableSql(params: Params, conditions: readonly EventCondition[], now: Micros): string {
  const ofNames = Map.groupBy(conditions, ({ events }) => JSON.stringify(events));
  const each = [...ofNames.values()].map((sameNames) => namedSql(params, sameNames, now));
  return `(${each.join(' OR ')})`;
}

function afterSql(params: Params, { occurred, message_id: id }: EventRow): string[] {
  const time = params.instant(BigInt(occurred));
  return [`timestamp >= ${time}`, `(timestamp > ${time} OR message_id > ${params.string(id)})`];
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
