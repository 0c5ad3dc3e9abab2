/** Reads the events of users that conditions test. It reads only the rows of these users, a few granules of each. */
import { dayOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import { userEventsWhere } from '../../stores/analytics/user-events.ts';
import { type Condition, type EventCondition, inSequence } from '../definition/audience.ts';
import { MAX_PAGE_CHARS } from '../query-budget.ts';
import { measuredValue } from '../measures/tally.ts';
import { unmoving } from '../operators/course.ts';
import { Params } from '../sql/params.ts';
import type { Steps } from '../steps.ts';
import { countableSql } from '../sql/user-sets.ts';
import { eventDigitsSql, matchedTexts } from '../operators/matched-texts.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import { areMoving, courseOfMembers, passesMembers } from '../operators/operators.ts';
import { withFunctions } from '../sql/functions.ts';
import { parseStoredJson, valueAt } from '../sql/stored-value.ts';
import type { CountedEvent } from './event-window.ts';

export interface UsersWanted {
  readonly projectId: string;
  /** Internal ids. */
  readonly users: readonly string[];
  /** By a user, the numbers of those whose rows are theirs too: of the anonymous ids that are joined. */
  readonly joined?: ReadonlyMap<string, readonly string[]>;
  readonly conditions: readonly Condition[];
  /** Events that are counted at no time from then on may be left out. */
  readonly now: Micros;
}

/** By the number of a row's user, that of the user whose it is: all whose rows are to be read. */
export function ownersOf({ users, joined }: Pick<UsersWanted, 'users' | 'joined'>): ReadonlyMap<string, string> {
  return new Map(
    users.flatMap((userKey) => {
      const owner = userNumber(userKey);
      return [owner, ...(joined?.get(userKey) ?? [])].map((user): [string, string] => [user, owner]);
    }),
  );
}

export interface RowReader {
  readonly ask: (query: Query) => Promise<readonly unknown[]>;
  /** Called now and then between two rows. What it throws ends the reading. */
  readonly checkTime?: () => void;
  /** How long the work on rows may keep the thread. */
  readonly yieldAfterMs?: number;
}

/** How the reading of a user's events goes. */
export interface Reading {
  readonly steps: Steps;
  /** Why the user's events are not read any further: they take too many steps. */
  failure?: TidemarkError;
}

interface EventRow {
  /** The number of the user. */
  readonly user: string;
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
interface Copy extends CountedEvent {
  readonly precedence: bigint;
  /** The conditions that name it and whose `where` it passes, now or, where it is `moving`, at some time. */
  readonly passes: ReadonlyMap<EventCondition, Pick<CountedEvent, 'moving' | 'measured'> | null>;
}

// An event may have 500 KB, so the first page of events with their text is small. Later ones are as large as the rows before
// them allow.
const FIRST_ROWS_OF_USER = 100;
const MAX_FIRST_ROWS = 2_000;
const MAX_PAGE_ROWS = 50_000;

// A tenth of what one person does in years. Each event takes some 300 bytes of memory.
const MAX_EVENTS = 200_000;

type EventsOf = Map<EventCondition, CountedEvent[]>;

/**
 * Returns by the user's number, for each condition, the events that it counts if they lie within its period, at `now` or
 * later; the same for the later event of a sequence, whether or not it follows one. The first in the log counts among several
 * copies of a message on one day, as in `track_rows FINAL`.
 *
 * @param readings By the user's number. Notes in them whose events take too many steps.
 * @throws TidemarkError `QUERY_LIMIT` if together the users have more events than can be read; and what asking throws.
 */
export async function readUserEvents(
  reader: RowReader,
  wanted: UsersWanted,
  readings: ReadonlyMap<string, Reading>,
): Promise<ReadonlyMap<string, EventsOf>> {
  const all = wanted.conditions.filter((condition) => condition.kind === 'event').flatMap(inSequence);
  const conditions = [...new Set(all)];
  const events = new Map(
    [...readings.keys()].map((user): [string, EventsOf] => [user, new Map(conditions.map((one) => [one, []]))]),
  );
  for (const scope of scopesOf(conditions))
    for (const [user, copies] of await firstCopies(reader, wanted, scope, readings))
      addCopies(events.get(user) as EventsOf, copies.values());
  return events;
}

/** Conditions whose events are read together. */
interface EventScope {
  readonly conditions: readonly EventCondition[];
  /** The text of properties is read only of events whose properties are tested. */
  readonly withText: boolean;
}

function scopesOf(conditions: readonly EventCondition[]): readonly EventScope[] {
  const scopes = [false, true].map((withText) => ({
    conditions: conditions.filter(({ where, measure }) => (where.length > 0 || measure !== null) === withText),
    withText,
  }));
  return scopes.filter((scope) => scope.conditions.length > 0);
}

function addCopies(events: EventsOf, copies: Iterable<Copy>): void {
  for (const copy of copies)
    for (const [condition, more] of copy.passes) events.get(condition)?.push(more ? { ...copy, ...more } : copy);
}

/** By the user's number, the copies that count so far. */
type CopiesOf = ReadonlyMap<string, Map<string, Copy>>;

async function firstCopies(
  reader: RowReader,
  wanted: UsersWanted,
  scope: EventScope,
  readings: ReadonlyMap<string, Reading>,
): Promise<CopiesOf> {
  const yielder = new EventLoopYielder(reader.yieldAfterMs);
  const conditionsOf = conditionsByName(scope);
  const owners = ownersOf(wanted);
  const copies: CopiesOf = new Map([...readings.keys()].map((user) => [user, new Map()]));
  let limit = scope.withText ? Math.min(MAX_FIRST_ROWS, FIRST_ROWS_OF_USER * wanted.users.length) : MAX_PAGE_ROWS;
  let after: EventRow | undefined;
  for (let skipped = 0; ;) {
    const query = pageQuery([...owners.keys()], wanted, scope, after, limit);
    const rows = (await reader.ask(query)) as readonly EventRow[];
    for (const row of rows) {
      const owner = owners.get(row.user) ?? row.user;
      if (!isKept(copies.get(owner), row, conditionsOf(row.event), readings.get(owner), wanted.now)) skipped++;
      if (!yielder.isOver()) continue;
      reader.checkTime?.();
      await yielder.next();
    }
    const kept = copies.values().reduce((sum, { size }) => sum + size, 0);
    if (kept + skipped > MAX_EVENTS) throw new TidemarkError('QUERY_LIMIT', 'the question went past its limit of rows');
    after = rows.at(-1);
    if (rows.length < limit || after === undefined) return copies;
    if (readings.values().every(({ failure }) => failure !== undefined)) return copies;
    const chars = rows.reduce((sum, { text }) => sum + text.length, 0);
    limit = Math.min(MAX_PAGE_ROWS, Math.max(1, Math.floor((MAX_PAGE_CHARS * rows.length) / Math.max(chars, 1))));
  }
}

/** False where the events of the row's user take too many steps, which its reading notes. */
function isKept(
  ofUser: Map<string, Copy> | undefined,
  row: EventRow,
  conditions: readonly EventCondition[],
  reading: Reading | undefined,
  now: Micros,
): boolean {
  if (ofUser === undefined || reading === undefined || reading.failure !== undefined) return false;
  try {
    keepFirst(ofUser, row, conditions, { now, steps: reading.steps });
    return true;
  } catch (error) {
    if (!hasCode(error, 'QUERY_LIMIT')) throw error;
    reading.failure = error;
    ofUser.clear();
    return false;
  }
}

/** Those that are about an event of this name. */
function conditionsByName({ conditions }: EventScope): (event: string) => readonly EventCondition[] {
  const byName = new Map<string, readonly EventCondition[]>();
  return (event) => {
    const known = byName.get(event) ?? conditions.filter(({ events }) => events?.includes(event) ?? true);
    byName.set(event, known);
    return known;
  };
}

/** Keeps, of the copies of a message of one id on one day, the one that is first on the log. */
function keepFirst(
  copies: Map<string, Copy>,
  row: EventRow,
  conditions: readonly EventCondition[],
  at: AtEvaluation,
): void {
  const timestamp = BigInt(row.occurred);
  const precedence = BigInt(row.precedence);
  const key = JSON.stringify([row.user, row.event, String(dayOf(timestamp)), row.message_id]);
  if ((copies.get(key)?.precedence ?? -1n) >= precedence) return;
  const passes = conditionsPassed(row, conditions, at);
  copies.set(key, {
    event: row.event,
    messageId: row.message_id,
    user: row.user,
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
 * A page in order of user, time and message. WITH TIES includes the copies of the last message, so the next page begins after
 * them.
 */
function pageQuery(
  numbers: readonly string[],
  { projectId, now }: UsersWanted,
  scope: EventScope,
  after: EventRow | undefined,
  limit: number,
): Query {
  const params = new Params();
  const left = after === undefined ? numbers : numbers.filter((user) => BigInt(user) >= BigInt(after.user));
  const where = [
    `project_id = ${params.string(projectId)}`,
    `user IN ${params.userNumbers(left)}`,
    countableSql(params, scope.conditions, now),
    ...(after ? [afterSql(params, after)] : []),
  ];
  const sql =
    `SELECT user, ${columnsSql(params, scope)} FROM ${userEventsWhere(where)} ` +
    `ORDER BY user, timestamp, message_id LIMIT ${params.count(limit)} WITH TIES`;
  return { projectId, sql: withFunctions(sql), params: params.values() };
}

/** The columns of an `EventRow` but the user. */
function columnsSql(params: Params, { conditions, withText }: EventScope): string {
  return (
    'message_id, event, toUnixTimestamp64Micro(timestamp) AS occurred, ' +
    `toUnixTimestamp64Micro(received_at) AS received, precedence, ${withText ? 'properties_text' : "''"} AS text, ` +
    `${eventDigitsSql(params, conditions)} AS digits`
  );
}

function afterSql(params: Params, { user, occurred, message_id: id }: EventRow): string {
  const time = params.instant(BigInt(occurred));
  const later = `timestamp > ${time} OR (timestamp = ${time} AND message_id > ${params.string(id)})`;
  return `(user > ${params.userNumber(BigInt(user))} OR ${later})`;
}
