/** The rows of endpoints and of deliveries (schemas/postgres/029-endpoints.compatible.sql, 037-notices.sql). */
import type { Micros } from '../messages/message.ts';
import {
  type AudienceRange,
  type Delivery,
  type Endpoint,
  type EndpointClaim,
  type LastAttempt,
  TEST_TYPE,
  type WaitingDelivery,
} from './endpoint-store.ts';
import { inCamelCase } from '../stores/database/database.ts';
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

/** An `Endpoint`, of `endpoints e`. */
export const ENDPOINT_COLUMNS = `${inCamelCase(
  `id, project_id, url, format, description, types, audiences, traits, initial, batch_size, created_at_ms::float8,
  updated_at_ms::float8, disabled, failures`,
  'e.',
)},
  case when e.next_attempt_at_ms > ${NOW_MS} then e.next_attempt_at_ms::float8 end as "nextAttemptAtMs",
  case when e.old_secret_until_ms > ${NOW_MS} then e.old_secret_until_ms::float8 end as "oldSecretUntilMs",
  ${WAITING_SINCE}::float8 as "waitingSinceMs"`;

/** The secrets that sign now, the newest first, of `endpoints e`. */
export const SECRETS = `case when e.old_secret_until_ms > ${NOW_MS} then array[e.secret, e.old_secret] else array[e.secret] end`;

export type ClaimRow = Endpoint & Pick<EndpointClaim, 'secrets'>;

export const DELIVERY_COLUMNS = `${inCamelCase(
  'id, sequence, endpoint_id, type, state, created_at_ms::float8, audience_id, changes, attempts, status, error',
)}, attempted_at_ms::float8 as "atMs", coalesce(took_ms, 0) as "tookMs", coalesce(answer, '') as answer`;

export type DeliveryRow = Omit<Delivery, 'lastAttempt'> &
  Omit<LastAttempt, 'atMs'> & { readonly atMs: LastAttempt['atMs'] | null };

export function toDelivery({ atMs, status, error, tookMs, answer, ...delivery }: DeliveryRow): Delivery {
  return { ...delivery, lastAttempt: atMs === null ? null : { atMs, status, error, tookMs, answer } };
}

/** What waits and is a change of an audience, of `endpoint_deliveries d` and `audiences a`. */
export type ChangesRow = Pick<WaitingDelivery, 'id' | 'createdAtMs'> &
  Omit<AudienceRange, 'from' | 'to'> & {
    readonly type: 'audience.changed';
    readonly isInitial: boolean;
    readonly fromAt: Micros;
    readonly fromUser: string | null;
    readonly toAt: Micros;
    readonly toUser: string | null;
  };

export const WAITING_COLUMNS = `${inCamelCase(
  'id, type, created_at_ms::float8, audience_id, is_initial, from_at, from_user, to_at, to_user, changes, notice',
  'd.',
)}, coalesce(a.name, '') as "audienceName"`;
