/** Answers about audiences as JSON shows them. Numbers of a caller's may be `JSON.rawJSON`: stringify them here. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Explanation } from './explain.ts';
import type { EventWindow } from './event-window.ts';
import type { Verdict } from './evaluation-tree.ts';
import type { Why } from './why.ts';

export function explanationJson({ sql, query, reads, evaluatedAt, database }: Explanation): string {
  return JSON.stringify({
    evaluated_at: formatMicros(evaluatedAt),
    database,
    sql,
    query: { sql: query.sql, params: query.params },
    reads,
    rows: reads.reduce((sum, { rows }) => sum + rows, 0),
  });
}

export function whyJson({ userId, userKey, evaluatedAt, verdict, tookMs, rowsRead }: Why): string {
  return JSON.stringify({
    user_id: userId,
    internal_id: userKey,
    evaluated_at: formatMicros(evaluatedAt),
    is_member: verdict.isMet,
    changes_at: shownTime(verdict.changesAt),
    why: shownVerdict(verdict),
    took_ms: Math.round(tookMs),
    rows_read: rowsRead,
  });
}

function shownVerdict(verdict: Verdict): object {
  const { path, kind, condition, isMet, changesAt } = verdict;
  const common = { path, kind, condition, is_met: isMet, changes_at: shownTime(changesAt) };
  if (verdict.kind === 'trait') return { ...common, ...shownTrait(verdict) };
  if (verdict.kind !== 'event') return { ...common, of: verdict.of.map(shownVerdict) };
  const { count, first, last, events } = verdict;
  return { ...common, count, first: shownEvent(first), last: shownEvent(last), events: events.map(shownEvent) };
}

/** Without `value` where it is missing. */
function shownTrait({ value, setBy }: Extract<Verdict, { kind: 'trait' }>): object {
  const version = setBy && {
    timestamp: formatMicros(setBy.timestamp),
    received_at: formatMicros(setBy.receivedAt),
    is_deletion: setBy.isDeleted,
  };
  return { value, version };
}

function shownEvent(event: EventWindow | null): object | null {
  if (event === null) return null;
  const { messageId, timestamp, receivedAt } = event;
  return { message_id: messageId, timestamp: formatMicros(timestamp), received_at: formatMicros(receivedAt) };
}

function shownTime(time: Micros | null): string | null {
  return time === null ? null : formatMicros(time);
}
