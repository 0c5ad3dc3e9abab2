import { microsOf } from '../definition/audience.ts';
import { MAX_PAGE_CHARS, type QueryBudget } from '../query-budget.ts';
import { DAY_MICROS, dayOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';
import type { StoredEvent } from '../../stores/analytics/analytics-store.ts';
import { storedEvent } from '../../stores/analytics/user-events.ts';
import { encodePosition } from './cursor.ts';
import type { CompileOptions } from '../sql/compile.ts';
import { compileEvents, compileKeys, type ListedRow, type ListedKey } from './list-sql.ts';
import type { EventsQuestion } from './read-question.ts';
import type { Span } from './time-buckets.ts';

/** An event and its user. */
export interface UserEvent extends StoredEvent {
  /** Null where no message has named the user by one. */
  readonly userId: string | null;
  readonly userKey: string;
}

export interface EventsPage {
  readonly events: readonly UserEvent[];
  readonly nextCursor: string | null;
}

// The first span that is looked through, in days; each of the others has GROWTH times as many.
const FIRST_DAYS = 2n;
const GROWTH = 4n;

/**
 * One page of the events of all users, newest first. A page of large events has fewer than its limit and has a cursor all
 * the same.
 *
 * @param context With the evaluation, which relative times count back from.
 * @throws TidemarkError `QUERY_LIMIT` past the limits, naming which; `STORE_UNAVAILABLE`, retryable.
 */
export async function listEvents(
  budget: QueryBudget,
  context: CompileOptions,
  question: EventsQuestion,
): Promise<EventsPage> {
  const keys = affordable(await keysOf(budget, context, question));
  const wanted = keys.slice(0, question.limit);
  if (wanted.length === 0) return { events: [], nextCursor: null };
  const found = new Map<string, ListedRow>();
  for (const keysAtOnce of chunksOf(wanted)) {
    const rows = await budget.ask<ListedRow>(compileEvents(context, keysAtOnce));
    for (const row of rows) found.set(orderKeyOf(row), row);
  }
  const events = wanted.flatMap((key) => {
    const row = found.get(orderKeyOf(key));
    return row === undefined ? [] : [eventOf(row)];
  });
  const last = wanted.at(-1);
  return { events, nextCursor: last === undefined || keys.length === wanted.length ? null : cursorOf(last) };
}

/**
 * The newest events, one more than the page has. The newest days are looked through first: most pages are within them, and
 * a project's events of years are not sorted for fifty.
 */
async function keysOf(
  budget: QueryBudget,
  context: CompileOptions,
  question: EventsQuestion,
): Promise<readonly ListedKey[]> {
  const { limit, after } = question;
  const keys: ListedKey[] = [];
  for (const span of spansBack(question, context.now)) {
    const wanted = { after, limit: limit + 1 - keys.length };
    keys.push(...(await budget.ask<ListedKey>(compileKeys(question, context, span, wanted))));
    if (keys.length > limit) break;
  }
  return keys;
}

/** The period of a question in spans of whole days, newest first. */
function* spansBack({ within, after }: EventsQuestion, now: Micros): Generator<Span> {
  const from = within?.from ? microsOf(within.from, now) : EARLIEST;
  let to = within?.to ? microsOf(within.to, now) : END_OF_TIME;
  if (after !== null && after.timestamp < to) to = after.timestamp + 1n;
  // An event may have a time that is still to come.
  const newest = to < now ? to : now;
  for (let days = FIRST_DAYS; to > from; days *= GROWTH) {
    const begin = (dayOf(newest) - days + 1n) * DAY_MICROS;
    const start = begin > from ? begin : from;
    if (start < to) yield { from: start, to };
    to = start < to ? start : to;
  }
}

/** Those that a page has room for, and one more where there are more. */
function affordable(keys: readonly ListedKey[]): readonly ListedKey[] {
  let bytes = 0;
  const fit = keys.findIndex(({ size }) => (bytes += Number(size)) > MAX_PAGE_CHARS);
  return fit === -1 ? keys : keys.slice(0, Math.max(fit, 1) + 1);
}

// A parameter over HTTP has 128 KiB at most (http_max_field_value_size); escaping may double a name.
const NAMES_BYTES_AT_ONCE = 60_000;

function* chunksOf(keys: readonly ListedKey[]): Generator<readonly ListedKey[]> {
  let from = 0;
  let bytes = 0;
  for (const [index, { event }] of keys.entries()) {
    bytes += Buffer.byteLength(event);
    if (bytes <= NAMES_BYTES_AT_ONCE) continue;
    yield keys.slice(from, index);
    from = index;
    bytes = Buffer.byteLength(event);
  }
  yield keys.slice(from);
}

function orderKeyOf({ occurred, message_id: id, event, user, precedence }: Omit<ListedKey, 'size'>): string {
  return JSON.stringify([occurred, id, event, user, precedence]);
}

function cursorOf({ occurred, received, message_id: messageId, event, user }: ListedKey): string {
  const times = { timestamp: BigInt(occurred), receivedAt: BigInt(received) };
  return encodePosition({ ...times, messageId, event, user: BigInt(user) });
}

export function eventOf(row: ListedRow): UserEvent {
  return { ...storedEvent(row), userId: row.user_id === '' ? null : row.user_id, userKey: row.internal_id };
}
