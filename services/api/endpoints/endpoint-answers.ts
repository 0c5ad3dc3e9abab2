import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { readTraitChoice } from '../../stores/profiles/trait-choice.ts';
import type { WebhookAddresses } from '../../webhooks/addresses.ts';
import { INSTALLATION_TYPES, PROJECT_TYPES, type WebhookType } from '../../webhooks/endpoint-store.ts';
import type { SqlEndpointStore } from '../../webhooks/sql-endpoint-store.ts';
import { isTopicUrl, noKafka, TOPIC_TYPES, TOPIC_URL } from '../../webhooks/topic.ts';
import type { WebhookDeliverer } from '../../webhooks/webhook-deliverer.ts';
import { type Input, type Members, readBody } from '../input.ts';
import { given, pageFrom, type QueryRequest, readCursor, readTime, refuseBody, refuseParameter } from '../query.ts';
import type { WatchRouteParts } from './watches.ts';
import { auditedJson, deliveryJson, endpointJson, withSecret } from './endpoint-json.ts';

export interface EndpointParts extends WatchRouteParts {
  readonly endpoints: SqlEndpointStore;
  readonly endpointTester: Pick<WebhookDeliverer, 'test'>;
  readonly addresses: WebhookAddresses;
  /** Whether the event log is on Kafka: endpoints may be topics. */
  readonly isOnKafka: boolean;
}

/** `POST /v1/endpoints` */
export async function answerNewEndpoint(parts: EndpointParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/endpoints', call, checkedBy(parts));
  if (!read.ok) return read.refusal;
  const { batch_size: batchSize, enabled: isEnabled, ...rest } = read.value.body;
  const url = urlOf(rest.url);
  const refusal = whyNotSent(call.projectId, rest.types, url);
  if (refusal !== undefined) return refusal;
  if (isTopicUrl(url) && !parts.isOnKafka) throw noKafka();
  const settings = { description: null, audiences: null, traits: null, ...rest, url, batchSize, isEnabled };
  const { endpoint, secret } = await parts.endpoints.create(call.projectId, settings);
  const headers = { Location: `/v1/endpoints/${endpoint.id}` };
  const audit = { action: 'endpoint.create', object: endpoint.id, after: auditedJson(endpoint) };
  return { status: 201, body: withSecret(endpoint, secret), headers, audit, isSecret: true };
}

/** `PATCH /v1/endpoints/:id` */
export async function answerEndpointChange(
  parts: EndpointParts,
  call: QueryRequest,
  { path: { id } }: Input<'PATCH /v1/endpoints/{id}'>,
): Promise<Answer | Refusal> {
  const read = readBody('PATCH /v1/endpoints/{id}', call, checkedBy(parts));
  if (!read.ok) return read.refusal;
  const { batch_size: batchSize, enabled: isEnabled, ...rest } = read.value.body;
  const url = rest.url === undefined ? undefined : urlOf(rest.url);
  const changes = given({ ...rest, url, batchSize, isEnabled });
  const before = await parts.endpoints.find(call.projectId, id);
  const refusal = whyNotMoved(before.url, url) ?? (rest.types && whyNotSent(call.projectId, rest.types, before.url));
  if (refusal !== undefined) return refusal;
  const after = await parts.endpoints.update(call.projectId, id, changes);
  return {
    status: 200,
    body: endpointJson(after),
    audit: { action: 'endpoint.change', object: id, before: auditedJson(before), after: auditedJson(after) },
  };
}

/** `DELETE /v1/endpoints/:id` */
export async function answerEndpointDelete(
  { endpoints }: EndpointParts,
  { projectId }: QueryRequest,
  { path: { id } }: Input<'DELETE /v1/endpoints/{id}'>,
): Promise<Answer> {
  const before = await endpoints.find(projectId, id);
  await endpoints.remove(projectId, id);
  const audit = { action: 'endpoint.delete', object: id, before: auditedJson(before) };
  return { status: 200, body: JSON.stringify({ id, deleted: true }), audit };
}

const MS_IN_HOUR = 3_600_000;

/** `POST /v1/endpoints/:id/rotate` */
export async function answerRotation(
  { endpoints }: EndpointParts,
  call: QueryRequest,
  { path: { id } }: Input<'POST /v1/endpoints/{id}/rotate'>,
): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/endpoints/{id}/rotate', call);
  if (!read.ok) return read.refusal;
  const { url } = await endpoints.find(call.projectId, id);
  if (isTopicUrl(url)) throw new TidemarkError('ENDPOINT_UNSIGNED', 'What is written to a topic is not signed.');
  const { endpoint, secret } = await endpoints.rotate(call.projectId, id, read.value.body.keep_old_hours * MS_IN_HOUR);
  const audit = { action: 'endpoint.rotate', object: id, after: auditedJson(endpoint) };
  return { status: 200, body: withSecret(endpoint, secret), audit, isSecret: true };
}

/** `POST /v1/endpoints/:id/resend` */
export async function answerResendSince(
  { endpoints }: EndpointParts,
  call: QueryRequest,
  { path: { id } }: Input<'POST /v1/endpoints/{id}/resend'>,
): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/endpoints/{id}/resend', call);
  if (!read.ok) return read.refusal;
  const since = readTime('since', read.value.body.since, call.projectId === null ? 'UTC' : call.project.timezone);
  if (!since.ok) return since.refusal;
  if (since.value === undefined) return refuseParameter('since', 'is missing').refusal;
  const after = JSON.stringify({ since: read.value.body.since });
  const endpoint = await endpoints.resendSince(call.projectId, id, since.value);
  return { status: 200, body: endpointJson(endpoint), audit: { action: 'endpoint.resend', object: id, after } };
}

/** `GET /v1/endpoints/:id/deliveries` */
export async function answerDeliveries(
  { endpoints }: EndpointParts,
  { projectId }: QueryRequest,
  { path: { id }, query: { limit, cursor, state } }: Input<'GET /v1/endpoints/{id}/deliveries'>,
): Promise<Answer | Refusal> {
  const before = readCursor(cursor, decodeDeliveryCursor);
  if (!before.ok) return before.refusal;
  const found = await endpoints.deliveries(projectId, id, {
    limit: limit + 1,
    ...given({ state, before: before.value }),
  });
  const { items, next } = pageFrom(found, limit, ({ sequence }) => encodeDeliveryCursor(sequence));
  const body = `{"deliveries":[${items.map(deliveryJson).join(',')}],"next_cursor":${JSON.stringify(next)}}`;
  return { status: 200, body };
}

const CURSOR_PREFIX = 'delivery-';

function encodeDeliveryCursor(sequence: bigint): string {
  return Buffer.from(`${CURSOR_PREFIX}${sequence}`).toString('base64url');
}

function decodeDeliveryCursor(text: string): bigint | undefined {
  const [, sequence] =
    /^delivery-(\d{1,18})$/.exec(Buffer.from(text.slice(0, 64), 'base64url').toString('latin1')) ?? [];
  return sequence !== undefined && encodeDeliveryCursor(BigInt(sequence)) === text ? BigInt(sequence) : undefined;
}

type Checks = { readonly ok: true } | { readonly ok: false; readonly problems: readonly Problem[] };

/** What the document cannot say of an endpoint. */
function checkedBy({ addresses }: EndpointParts): (body: Members) => Checks {
  return ({ url, traits }) => {
    const problems: Problem[] = [];
    const target = typeof url === 'string' ? URL.parse(url) : undefined;
    if (target === null) problems.push({ path: '/url', message: 'is not a URL' });
    const why = target ? whyNoTarget(target, addresses) : undefined;
    if (why !== undefined) problems.push({ path: '/url', message: why });
    const choice = typeof traits === 'string' ? readTraitChoice(traits) : undefined;
    if (choice?.ok === false) problems.push({ path: '/traits', message: choice.message });
    return problems.length === 0 ? { ok: true } : { ok: false, problems };
  };
}

function whyNoTarget(target: URL, addresses: WebhookAddresses): string | undefined {
  if (target.protocol !== 'kafka:') return addresses.whyNot(target);
  return isTopicUrl(target.href) ? undefined : `names no topic that is written: ${TOPIC_URL} is the only one`;
}

/** A refusal where the project, or the installation, or the topic has a type that it is not told of. */
function whyNotSent(projectId: string | null, types: readonly WebhookType[], url: string): Refusal | undefined {
  const sent: readonly WebhookType[] = projectId === null ? INSTALLATION_TYPES : PROJECT_TYPES;
  const whose = projectId === null ? 'the installation (which a request without a project is about)' : 'a project';
  const problems = types.flatMap((type, at) => {
    const message = `is not sent to an endpoint of ${whose}: it is told of ${sent.join(', ')}`;
    if (!sent.includes(type)) return [{ path: `/types/${at}`, message }];
    if (!isTopicUrl(url) || TOPIC_TYPES.includes(type)) return [];
    return [{ path: `/types/${at}`, message: `is not written to a topic: ${TOPIC_TYPES.join(', ')} are` }];
  });
  return problems.length === 0 ? undefined : refuseBody(problems).refusal;
}

/** A refusal where a topic is to become a URL that is posted to, or the other way: only these have a secret. */
function whyNotMoved(before: string, after: string | undefined): Refusal | undefined {
  if (after === undefined || isTopicUrl(before) === isTopicUrl(after)) return undefined;
  const message = 'leads from a topic to a URL that is posted to, or back: make another endpoint';
  return refuseBody([{ path: '/url', message }]).refusal;
}

/** As it is connected to. */
function urlOf(text: string): string {
  return new URL(text).href;
}
