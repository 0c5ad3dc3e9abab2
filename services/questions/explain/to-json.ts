/**
 * Serializes answers about audiences. A caller's numbers may be `JSON.rawJSON`, which only `JSON.stringify` in this
 * process keeps.
 */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Evidence, TraitEvidence } from '../one-user/condition-state.ts';
import type { Explanation } from './explain.ts';
import type { CountedEvent } from '../one-user/event-window.ts';
import type { EvaluationNode } from './evaluation-tree.ts';
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

export function whyJson({ userId, anonymousId, userKey, evaluatedAt, evaluation, tookMs, rowsRead }: Why): string {
  return JSON.stringify({
    user_id: userId,
    anonymous_id: anonymousId,
    internal_id: userKey,
    evaluated_at: formatMicros(evaluatedAt),
    is_member: evaluation.isMet,
    changes_at: timeJson(evaluation.changesAt),
    why: nodeJson(evaluation),
    took_ms: Math.round(tookMs),
    rows_read: rowsRead,
  });
}

function nodeJson(node: EvaluationNode): object {
  const { path, kind, condition, isMet, changesAt } = node;
  const common = { path, kind, condition, is_met: isMet, changes_at: timeJson(changesAt) };
  if ('of' in node) return { ...common, of: node.of.map(nodeJson) };
  return { ...common, ...(EVIDENCE[node.kind] as (evidence: Evidence) => object)(node) };
}

const EVIDENCE: { readonly [K in Evidence['kind']]: (evidence: Extract<Evidence, { kind: K }>) => object } = {
  trait: traitJson,
  sample: ({ position }) => ({ position }),
  event: ({ count, first, last, events, measured }) => ({
    count,
    // Left out where nothing is measured.
    measured: typeof measured === 'string' ? JSON.rawJSON(measured) : measured,
    first: eventJson(first),
    last: eventJson(last),
    events: events.map(eventJson),
  }),
};

/** Without `value` where it is missing. */
function traitJson({ value, setBy }: TraitEvidence): object {
  const version = setBy && {
    timestamp: formatMicros(setBy.timestamp),
    received_at: formatMicros(setBy.receivedAt),
    is_deletion: setBy.isDeleted,
  };
  return { value, version };
}

function eventJson(event: CountedEvent | null): object | null {
  if (event === null) return null;
  const { event: name, messageId, timestamp, receivedAt } = event;
  return {
    event: name,
    message_id: messageId,
    timestamp: formatMicros(timestamp),
    received_at: formatMicros(receivedAt),
  };
}

function timeJson(time: Micros | null): string | null {
  return time === null ? null : formatMicros(time);
}
