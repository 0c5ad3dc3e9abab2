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

export function whyJson({ userId, anonymousId, userKey, joinedIds, ...why }: Why): string {
  const { evaluatedAt, evaluation, tookMs, rowsRead } = why;
  return JSON.stringify({
    user_id: userId,
    anonymous_id: anonymousId,
    internal_id: userKey,
    evaluated_at: formatMicros(evaluatedAt),
    is_member: evaluation.isMet,
    changes_at: timeJson(evaluation.changesAt),
    why: nodeJson(evaluation, joinedIds),
    took_ms: Math.round(tookMs),
    rows_read: rowsRead,
  });
}

function nodeJson(node: EvaluationNode, joinedIds: JoinedIds): object {
  const { path, kind, condition, isMet, changesAt } = node;
  const common = { path, kind, condition, is_met: isMet, changes_at: timeJson(changesAt) };
  if ('of' in node) return { ...common, of: node.of.map((part) => nodeJson(part, joinedIds)) };
  return { ...common, ...(EVIDENCE[node.kind] as EvidenceJson<Evidence>)(node, joinedIds) };
}

type JoinedIds = Why['joinedIds'];
type EvidenceJson<T> = (evidence: T, joinedIds: JoinedIds) => object;

const EVIDENCE: { readonly [K in Evidence['kind']]: EvidenceJson<Extract<Evidence, { kind: K }>> } = {
  trait: traitJson,
  sample: ({ position }) => ({ position }),
  users: () => ({}),
  event: ({ count, first, last, events, measured }, joinedIds) => ({
    count,
    // Left out where nothing is measured.
    measured: typeof measured === 'string' ? JSON.rawJSON(measured) : measured,
    first: first && eventJson(first, joinedIds),
    last: last && eventJson(last, joinedIds),
    events: events.map((event) => eventJson(event, joinedIds)),
  }),
};

/** Without `value` where it is missing, and without `joined_id` where the message names the user. */
function traitJson({ value, setBy }: TraitEvidence, joinedIds: JoinedIds): object {
  const version = setBy && {
    timestamp: formatMicros(setBy.timestamp),
    received_at: formatMicros(setBy.receivedAt),
    is_deletion: setBy.isDeleted,
    joined_id: joinedIds.get(setBy.user),
  };
  return { value, version };
}

/** Without `joined_id` where the event names the user. */
function eventJson(
  { event: name, messageId, user, timestamp, receivedAt }: CountedEvent,
  joinedIds: JoinedIds,
): object {
  return {
    event: name,
    message_id: messageId,
    timestamp: formatMicros(timestamp),
    received_at: formatMicros(receivedAt),
    joined_id: joinedIds.get(user),
  };
}

function timeJson(time: Micros | null): string | null {
  return time === null ? null : formatMicros(time);
}
