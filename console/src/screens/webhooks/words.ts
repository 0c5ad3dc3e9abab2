/** How a webhook is, and what it sends, in words. */
import { countOf } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import type { Delivery, Endpoint } from '../../api/types.ts';
import { plural } from '../../parts/numbers.ts';
import { useAnswer } from '../../parts/loading/use-load.tsx';

/** By id. */
export type AudienceNames = ReadonlyMap<string, string>;

/** The names of the project's audiences; none until they are loaded. */
export function useAudienceNames(): AudienceNames {
  const loaded = useAnswer(operation('GET /v1/audiences', { query: { limit: 1_000 } }));
  const audiences = loaded.value?.audiences ?? [];
  return new Map(audiences.map(({ id, name }) => [id, name]));
}

/** What is written to Kafka has this in place of a URL. */
export const TOPIC_URL = 'kafka:tidemark.audience-change';

/** What an endpoint of a project may be told of. */
export const WEBHOOK_TYPES: Readonly<Record<string, string>> = {
  'audience.changed': 'Users who enter and leave audiences',
  'user.forgotten': 'People who are to be forgotten',
  'dead_letter.waiting': 'Messages that were put into the dead letters',
  'watch.raised': 'Watches that call',
  'watch.ended': 'Watches that have ended',
  'attention.raised': 'Webhooks and audiences that are not well',
  'attention.ended': 'Webhooks and audiences that are well again',
};

/** What the body of a message is. */
export const FORMATS = {
  json: 'JSON, for a program',
  slack: 'A text for Slack',
  teams: 'A text for Microsoft Teams',
  discord: 'A text for Discord',
};

export function typesText({ types }: Endpoint): string {
  return types.map((type) => WEBHOOK_TYPES[type] ?? type).join(', ');
}

/** What people call it: its description, or else the host that it leads to. */
export function nameOf({ description, url }: Endpoint): string {
  return description ?? (url === TOPIC_URL ? url : new URL(url).host);
}

export function audiencesText({ audiences }: Endpoint, names: AudienceNames): string {
  if (audiences === null) return 'All';
  return audiences.map((id) => names.get(id) ?? id).join(', ');
}

/** Whether the changes of an audience are sent there. */
export function isSentTo({ types, audiences }: Endpoint, audience: string): boolean {
  return types.includes('audience.changed') && (audiences === null || audiences.includes(audience));
}

/** With a class of the dot. */
export function endpointState({ enabled, disabled_because: why, failures, waiting_since: since }: Endpoint) {
  if (!enabled && why === 'gone') return { text: 'Stopped: the receiver answered 410', tone: 'bad' };
  if (!enabled) return { text: why === 'drill' ? 'Paused: restored for a drill' : 'Paused', tone: '' };
  if (countOf(failures) > 0) return { text: `Failing, ${plural(countOf(failures), 'attempt')}`, tone: 'bad' };
  return since === null ? { text: 'Up to date', tone: 'good' } : { text: 'Sending', tone: 'busy' };
}

const DELIVERY_STATES: Readonly<Record<Delivery['state'], readonly [text: string, tone: string]>> = {
  waiting: ['Waiting', 'busy'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
};

/** With a class of the dot. One that waits after a failed attempt is tried again. */
export function deliveryState({ state, last_attempt: last }: Delivery) {
  const [text, tone] = DELIVERY_STATES[state];
  return state === 'waiting' && last !== null ? { text: 'Retrying', tone: 'warn' } : { text, tone };
}

/** `200 in 42 ms`, or why there was no answer; of a topic `3 records in 42 ms`. */
export function answerText({ last_attempt: last }: Delivery): string {
  if (last === null) return '';
  const answer = last.status === null ? last.answer : last.status.rawJSON;
  return last.status === null && last.error !== null ? last.error : `${answer} in ${last.took_ms.rawJSON} ms`;
}

/** The name of its audience, or what it is. */
export function messageText({ audience_id: id, type }: Delivery, names: AudienceNames): string {
  if (id !== null) return names.get(id) ?? id;
  return type === 'endpoint.test' ? 'Test' : (WEBHOOK_TYPES[type] ?? type);
}
