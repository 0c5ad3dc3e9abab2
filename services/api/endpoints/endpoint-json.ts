/** Endpoints of webhooks, and what was sent to them, as they are answered. */
import { formatMs } from '../../messages/timestamp.ts';
import type { Delivery, Endpoint } from '../../webhooks/endpoint-store.ts';
import { isTopicUrl } from '../../webhooks/topic.ts';

export function endpointJson(endpoint: Endpoint): string {
  const { id, url, format, description, types, audiences, traits, initial, batchSize, disabled, failures } = endpoint;
  return JSON.stringify({
    id,
    project_id: endpoint.projectId,
    url,
    format,
    description,
    types,
    audiences,
    traits,
    initial,
    batch_size: batchSize,
    enabled: disabled === null,
    disabled_because: disabled,
    created_at: formatMs(endpoint.createdAtMs),
    updated_at: formatMs(endpoint.updatedAtMs),
    old_secret_until: timeOrNull(endpoint.oldSecretUntilMs),
    failures,
    next_attempt_at: timeOrNull(endpoint.nextAttemptAtMs),
    waiting_since: timeOrNull(endpoint.waitingSinceMs),
  });
}

const QUERY = /[?#].*/s;

/** What it is called where files name it: a URL has no secret before the `?`. */
export function nameOfEndpoint(url: string, description: string | null): string {
  return description ?? url.replace(QUERY, '');
}

/** For the audit log, whose entries stay for ever: the query of a URL, a name and a password in it, and the path to a chat may be secrets. */
export function auditedJson(endpoint: Endpoint): string {
  const withoutName = endpoint.url.replace(/^(\w+:\/\/)[^/?#]*@/, '$1').replace(QUERY, '?…');
  const url = endpoint.format === 'json' ? withoutName : withoutName.replace(/^(\w+:\/\/[^/?]*).*/s, '$1/…');
  return endpointJson({ ...endpoint, url });
}

/** With the secret as its last member; null of a topic, to which nothing is signed. */
export function withSecret(endpoint: Endpoint, secret: string): string {
  const given = isTopicUrl(endpoint.url) ? null : secret;
  return `${endpointJson(endpoint).slice(0, -1)},"secret":${JSON.stringify(given)}}`;
}

export function deliveryJson(delivery: Delivery): string {
  const { id, type, state, createdAtMs, audienceId, changes, attempts, lastAttempt } = delivery;
  return JSON.stringify({
    id,
    type,
    state,
    created_at: formatMs(createdAtMs),
    audience_id: audienceId,
    changes,
    attempts,
    last_attempt: lastAttempt && {
      at: formatMs(lastAttempt.atMs),
      status: lastAttempt.status,
      error: lastAttempt.error,
      took_ms: lastAttempt.tookMs,
      answer: lastAttempt.answer,
    },
  });
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatMs(ms);
}
