import { DAY_MICROS, dayOf } from '../../messages/day-and-hour.ts';
import type { EventsQuery, Query, StoredEvent } from './analytics-store.ts';
import { ofUser, userParams } from './of-user.ts';

const COLUMNS =
  'project_id, user, timestamp, message_id, event, received_at, session_id, properties_text, message_id_given, ' +
  'precedence, anonymous_id';

/**
 * The events of users for which each of these conditions holds, in the order of users: a subquery. The conditions are in it
 * because ClickHouse 26.7 sends those around a subquery to shards with times as numbers, which it then cannot read before 1970
 * and reads wrongly before September 2001.
 */
export function userEventsWhere(conditions: readonly string[]): string {
  return `(SELECT ${COLUMNS} FROM user_track_rows WHERE ${conditions.join(' AND ')})`;
}

/** The columns of an `EventRow`, of `track_rows` and of `userEventsWhere`. */
export const EVENT_COLUMNS =
  'message_id, event, toUnixTimestamp64Micro(timestamp) AS occurred, toUnixTimestamp64Micro(received_at) AS received, ' +
  'session_id, anonymous_id, properties_text, precedence';

/** An event as it is read; times in microseconds, 64-bit integers as strings. */
export interface EventRow {
  readonly message_id: string;
  readonly event: string;
  readonly occurred: string;
  readonly received: string;
  readonly session_id: string;
  readonly anonymous_id: string;
  readonly properties_text: string;
  readonly precedence: string;
}

interface UserEventRow extends EventRow {
  readonly given: boolean;
}

interface Copy {
  readonly message_id: string;
  readonly event: string;
  /** Days since 1970. */
  readonly day: string;
  readonly precedence: string;
}

type Ask = (query: Query) => Promise<readonly unknown[]>;

// A parameter over HTTP has 128 KiB at most (http_max_field_value_size); an id 128 characters of up to three bytes.
const IDS_AT_ONCE = 300;

/**
 * One page of a user's events: of the copies of a message on one day the first in the log, as `track_rows FINAL` has. The
 * table's order makes it read a few granules, without FINAL, which would read all that the user ever did; what else a page
 * depends on lies within its own days.
 */
export async function userEvents(query: EventsQuery, ask: Ask): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  let after = query.after;
  while (events.length < query.limit) {
    const wanted = query.limit - events.length;
    const rows = (await ask(
      pageQuery({ ...query, limit: wanted, ...(after && { after }) }),
    )) as readonly UserEventRow[];
    const copies = firstOfPosition(rows);
    events.push(...(await withoutLaterCopies(query, copies, ask)).map(storedEvent));
    const last = copies.at(-1);
    if (last === undefined || rows.length < wanted) break;
    after = storedEvent(last);
  }
  return events;
}

/** WITH TIES: all copies at the last place come along, so that the first of them is known. */
function pageQuery({ event, since, until, limit, after, ...user }: EventsQuery): Query {
  const conditions = [ofUser(user)];
  if (since !== undefined) conditions.push('timestamp >= fromUnixTimestamp64Micro({since:Int64})');
  if (until !== undefined) conditions.push('timestamp < fromUnixTimestamp64Micro({until:Int64})');
  if (event !== undefined) conditions.push('event = {event:String}');
  if (after !== undefined) {
    const position = 'fromUnixTimestamp64Micro({received:Int64}), {messageId:String}, {afterEvent:String}';
    conditions.push('timestamp <= fromUnixTimestamp64Micro({time:Int64})');
    conditions.push(
      `(timestamp < fromUnixTimestamp64Micro({time:Int64}) OR (received_at, message_id, toString(event)) < (${position}))`,
    );
  }
  return {
    sql: `SELECT ${EVENT_COLUMNS}, message_id_given AS given
          FROM ${userEventsWhere(conditions)}
          ORDER BY timestamp DESC, received_at DESC, message_id DESC, event DESC LIMIT {limit:UInt64} WITH TIES`,
    params: {
      ...userParams(user),
      limit,
      ...(event !== undefined && { event }),
      ...(since !== undefined && { since: String(since) }),
      ...(until !== undefined && { until: String(until) }),
      ...(after !== undefined && {
        time: String(after.timestamp),
        received: String(after.receivedAt),
        messageId: after.messageId,
        afterEvent: after.event,
      }),
    },
  };
}

/** The first copy of neighbours with the same times, id and name. */
function firstOfPosition(rows: readonly UserEventRow[]): readonly UserEventRow[] {
  const firsts: UserEventRow[] = [];
  for (const row of rows) {
    const last = firsts.at(-1);
    if (last === undefined || !haveSamePosition(last, row)) firsts.push(row);
    else if (BigInt(row.precedence) > BigInt(last.precedence)) firsts[firsts.length - 1] = row;
  }
  return firsts;
}

function haveSamePosition(one: EventRow, other: EventRow): boolean {
  const isOneMessage = one.message_id === other.message_id && one.event === other.event;
  return isOneMessage && one.occurred === other.occurred && one.received === other.received;
}

/** Drops what is a later copy of a message that lies elsewhere on its day. Only an id that the caller gave can come again. */
async function withoutLaterCopies(
  query: EventsQuery,
  rows: readonly UserEventRow[],
  ask: Ask,
): Promise<readonly UserEventRow[]> {
  const given = rows.filter((row) => row.given);
  const newest = given[0];
  const oldest = given.at(-1);
  if (newest === undefined || oldest === undefined) return rows;
  const days = { first: dayOf(BigInt(oldest.occurred)), last: dayOf(BigInt(newest.occurred)) };
  const found: Copy[] = [];
  for (let from = 0; from < given.length; from += IDS_AT_ONCE) {
    const ids = given.slice(from, from + IDS_AT_ONCE).map((row) => row.message_id);
    found.push(...((await ask(copiesQuery(query, ids, days))) as readonly Copy[]));
  }
  const first = new Map(found.map((copy) => [copyKey(copy), copy.precedence]));
  return rows.filter(
    (row) => !row.given || first.get(copyKey({ ...row, day: String(dayOf(BigInt(row.occurred))) })) === row.precedence,
  );
}

function copyKey({ event, day, message_id: id }: Omit<Copy, 'precedence'>): string {
  return JSON.stringify([event, day, id]);
}

function copiesQuery(
  user: EventsQuery,
  ids: readonly string[],
  days: { readonly first: bigint; readonly last: bigint },
): Query {
  const copies = userEventsWhere([
    ofUser(user),
    'timestamp >= fromUnixTimestamp64Micro({from:Int64}) AND timestamp < fromUnixTimestamp64Micro({to:Int64})',
    'message_id IN {ids:Array(String)}',
  ]);
  return {
    sql: `SELECT message_id, event, toString(toInt32(toDate32(timestamp))) AS day, max(precedence) AS precedence
          FROM ${copies} GROUP BY message_id, event, day`,
    params: {
      ...userParams(user),
      from: String(days.first * DAY_MICROS),
      to: String((days.last + 1n) * DAY_MICROS),
      ids,
    },
  };
}

export function storedEvent(row: EventRow): StoredEvent {
  return {
    messageId: row.message_id,
    event: row.event,
    timestamp: BigInt(row.occurred),
    receivedAt: BigInt(row.received),
    sessionId: row.session_id === '' ? null : row.session_id,
    anonymousId: row.anonymous_id === '' ? null : row.anonymous_id,
    properties: row.properties_text,
  };
}
