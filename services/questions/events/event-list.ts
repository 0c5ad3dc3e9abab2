import { microsOf } from '../definition/audience.ts';
import { pageWithin, type QueryBudget } from '../query-budget.ts';
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
  const keys = await keysOf(budget, context, question);
  const { page, hasMore } = pageWithin(keys, question.limit, ({ size }) => size);
  const last = page.at(-1);
  if (last === undefined) return { events: [], nextCursor: null };
  const rows = await budget.ask<ListedRow>(compileEvents(context, page));
  const found = new Map(rows.map((row) => [orderKeyOf(row), eventOf(row)]));
  const events = page.flatMap((key) => found.get(orderKeyOf(key)) ?? []);
  return { events, nextCursor: hasMore ? cursorOf(last) : null };
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
