import { MAX_PAGE_CHARS } from '../../questions/query-budget.ts';
import type { AnalyticsReader, EventsQuery, StoredEvent } from '../../stores/analytics/analytics-store.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { encodeCursor } from '../../questions/events/cursor.ts';

/** Some events of a user, and the cursor of what comes after them: null where nothing does. */
export interface Page {
  readonly events: readonly StoredEvent[];
  readonly nextCursor: string | null;
}

const FIRST_ROWS = 100;

/**
 * One page, newest first. Asks for few rows first and then for as many as their size allows: a page of large events
 * holds fewer than its limit and has a cursor all the same.
 */
export async function readPage(analytics: AnalyticsReader, query: EventsQuery): Promise<Page> {
  // One more than the page holds tells whether there is another.
  const wanted = query.limit + 1;
  const events: StoredEvent[] = [];
  let chars = 0;
  while (chars < MAX_PAGE_CHARS) {
    const last = events.at(-1);
    const limit = Math.min(wanted - events.length, affordableRows(events.length, chars));
    const rows = await analytics.userEvents({ ...query, limit, ...(last && { after: last }) });
    events.push(...rows);
    if (rows.length < limit) return { events, nextCursor: null };
    if (events.length === wanted) return eventsPageOf(events.slice(0, -1));
    chars += rows.reduce((sum, { properties }) => sum + properties.length, 0);
  }
  return eventsPageOf(events);
}

/** The page as the body of an answer. Properties are JSON text already and go in untouched, every digit kept. */
export function pageBody({ events, nextCursor }: Page): string {
  return `{"events":[${events.map(eventBody).join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
}

function affordableRows(rows: number, chars: number): number {
  if (rows === 0) return FIRST_ROWS;
  return Math.ceil(((MAX_PAGE_CHARS - chars) * rows) / Math.max(chars, 1));
}

function eventsPageOf(events: readonly StoredEvent[]): Page {
  const last = events.at(-1);
  return { events, nextCursor: last === undefined ? null : encodeCursor(last) };
}

export function eventBody(stored: StoredEvent): string {
  const { messageId, event, timestamp, receivedAt, sessionId, anonymousId, properties } = stored;
  const head = JSON.stringify({
    message_id: messageId,
    event,
    timestamp: formatMicros(timestamp),
    received_at: formatMicros(receivedAt),
    session_id: sessionId,
    anonymous_id: anonymousId,
  });
  return `${head.slice(0, -1)},"properties":${properties}}`;
}
