/** The rows of endpoints and of deliveries (schemas/postgres/029-endpoints.compatible.sql, 037-notices.sql). */
import type { Micros } from '../messages/message.ts';
import { type Delivery, type Endpoint, type NoticeType, TEST_TYPE, type WebhookType } from './endpoint-store.ts';
import { NOW_MS } from '../stores/database/sql-time.ts';
import { FORGOTTEN_AFTER_MS } from '../stores/service-state/process-store.ts';
import { TOPIC_URL } from './topic.ts';

/**
 * Which of `endpoints e` a process sends to. While there are processes of the role `webhooks`, and for an hour after the last
 * was seen that did not stop in order, they alone send to URLs.
 */
export const SENT_TO_BY = {
  webhooks: `e.url <> '${TOPIC_URL}'`,
  others: `(e.url = '${TOPIC_URL}' or not exists (select from processes
    where report::json ->> 'role' = 'webhooks' and beat_at_ms >= ${NOW_MS} - ${FORGOTTEN_AFTER_MS}))`,
};

/** Whether the changes of `audiences a` are sent to `endpoints e`. */
export const IS_WANTED = `a.project_id = e.project_id and a.deleted_at_ms is null and 'audience.changed' = any (e.types)
  and (e.audiences is null or a.id = any (e.audiences))`;

/** Whether there is anything after `endpoint_positions p` of `audiences a`. */
export const IS_BEHIND = '(p.is_initial or p.after_user is not null or a.changes_readable_at > p.at)';

/** The audiences of which `endpoints e` does not have everything, those that it does not know yet among them. */
export const BEHIND = `select from audiences a left join endpoint_positions p on p.endpoint_id = e.id and p.audience_id = a.id
  where ${IS_WANTED} and (${IS_BEHIND} or (p.endpoint_id is null and a.changes_readable_at is not null))`;

/** A test that waits is no message in turn: see `SqlEndpointClaims.leaveTest`. */
export const IS_WAITING = `d.state = 'waiting' and d.type <> '${TEST_TYPE}'`;

export const WAITING = `select from endpoint_deliveries d where d.endpoint_id = e.id and ${IS_WAITING}`;

/** Whether the endpoint `$1` is still as the claim `$2` found it, with `$3` as its time of change: else its turn ends, and the next is by its new settings. */
export const UNCHANGED = `select from endpoints c where c.id = $1 and c.claim = $2 and c.disabled is null and c.updated_at_ms = $3::int8`;

/** That of `endpoints e`; the installation has none. */
export const PROJECT = "coalesce(e.project_id, '')";

/**
 * When the oldest message was made that `endpoints e` does not have, or could have been: that nothing was begun does not
 * mean that nothing waits. Evaluations that found nothing make no message.
 */
export const WAITING_SINCE = `least(
  (select min(d.created_at_ms) from endpoint_deliveries d where d.endpoint_id = e.id and d.state = 'waiting'),
  (select min(case when p.is_initial then greatest(p.at / 1000, e.created_at_ms) when p.after_user is not null then p.at / 1000
     else (select min(v.evaluated_at) / 1000 from audience_evaluations v
           where v.audience_id = a.id and v.evaluated_at > coalesce(p.at, e.created_at_ms * 1000)
             and v.evaluated_at <= a.changes_readable_at and (v.entered > 0 or v.left_members > 0)) end)
   from audiences a left join endpoint_positions p on p.endpoint_id = e.id and p.audience_id = a.id
   where ${IS_WANTED}))`;

/** The columns of `endpoints e`. */
export const ENDPOINT_COLUMNS = `e.id, e.project_id, e.url, e.format, e.description, e.types, e.audiences, e.traits, e.initial, e.batch_size,
  e.created_at_ms, e.updated_at_ms, e.disabled, e.failures,
  case when e.next_attempt_at_ms > ${NOW_MS} then e.next_attempt_at_ms end as next_attempt_at_ms,
  case when e.old_secret_until_ms > ${NOW_MS} then e.old_secret_until_ms end as old_secret_until_ms,
  ${WAITING_SINCE} as waiting_since_ms`;

/** The secrets that sign now, the newest first, of `endpoints e`. */
export const SECRETS = `case when e.old_secret_until_ms > ${NOW_MS} then array[e.secret, e.old_secret] else array[e.secret] end`;

export interface EndpointRow {
  readonly id: string;
  readonly project_id: string | null;
  readonly url: string;
  readonly format: Endpoint['format'];
  readonly description: string | null;
  readonly types: readonly WebhookType[];
  readonly audiences: readonly string[] | null;
  readonly traits: string | null;
  readonly initial: Endpoint['initial'];
  readonly batch_size: number;
  readonly created_at_ms: bigint;
  readonly updated_at_ms: bigint;
  readonly disabled: Endpoint['disabled'];
  readonly failures: number;
  readonly next_attempt_at_ms: bigint | null;
  readonly old_secret_until_ms: bigint | null;
  readonly waiting_since_ms: bigint | null;
}

export function toEndpoint(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    projectId: row.project_id,
    url: row.url,
    format: row.format,
    description: row.description,
    types: row.types,
    audiences: row.audiences,
    traits: row.traits,
    initial: row.initial,
    batchSize: row.batch_size,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    disabled: row.disabled,
    oldSecretUntilMs: numberOf(row.old_secret_until_ms),
    failures: row.failures,
    nextAttemptAtMs: numberOf(row.next_attempt_at_ms),
    waitingSinceMs: numberOf(row.waiting_since_ms),
  };
}

export const DELIVERY_COLUMNS = `id, sequence, endpoint_id, type, state, created_at_ms, audience_id, changes, attempts,
  attempted_at_ms, status, error, took_ms, answer`;

export interface DeliveryRow {
  readonly id: string;
  readonly sequence: bigint;
  readonly endpoint_id: string;
  readonly type: Delivery['type'];
  readonly state: Delivery['state'];
  readonly created_at_ms: bigint;
  readonly audience_id: string | null;
  readonly changes: number;
  readonly attempts: number;
  readonly attempted_at_ms: bigint | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly took_ms: number | null;
  readonly answer: string | null;
}

export function toDelivery(row: DeliveryRow): Delivery {
  const { attempted_at_ms: attemptedAtMs, status, error, took_ms: tookMs, answer } = row;
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    type: row.type,
    state: row.state,
    createdAtMs: Number(row.created_at_ms),
    audienceId: row.audience_id,
    changes: row.changes,
    attempts: row.attempts,
    lastAttempt:
      attemptedAtMs === null
        ? null
        : { atMs: Number(attemptedAtMs), status, error, tookMs: tookMs ?? 0, answer: answer ?? '' },
    sequence: row.sequence,
  };
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

export type ClaimRow = EndpointRow & { readonly secrets: readonly string[] };

export interface NoticeRow {
  readonly id: string;
  readonly type: NoticeType;
  readonly created_at_ms: bigint;
  readonly notice: string;
}

export interface ChangesRow {
  readonly id: string;
  readonly type: 'audience.changed';
  readonly created_at_ms: bigint;
  readonly audience_id: string;
  readonly name: string;
  readonly is_initial: boolean;
  readonly from_at: bigint;
  readonly from_user: string | null;
  readonly to_at: bigint;
  readonly to_user: string | null;
  readonly changes: number;
  readonly notice: null;
}

export interface PositionRow {
  readonly id: string;
  readonly name: string;
  readonly is_initial: boolean;
  readonly at: Micros;
  readonly after_user: string | null;
}
