import { BATCH_LIMIT_BYTES, BODY_LIMIT_BYTES } from '../http/body-limits.ts';
import type { Call } from '../http/call.ts';
import { isJson, UNSUPPORTED_TYPE } from '../http/body.ts';
import type { Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import { isSdkBody } from '../messages/sdk/sdk-body.ts';
import type { Ingestor } from './ingestor.ts';
import type { AcceptedBody } from './encode-job.ts';
import { isLenient } from './lenient.ts';
import type { RefusalCounts } from './refusal-counts.ts';

/** What is tracked or identified by one request each: `/v1/identify`, `/v1/track`, and the other calls of SDKs. */
const CALLS = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const;

/** `POST /v1/identify`, `/v1/track`, `/v1/page` … and `/v1/batch`, each under the paths that SDKs know them by. */
export function publicRoutes(ingestor: Ingestor, refusals?: CountsRefusals): Route[] {
  const admit = (): Refusal | undefined => ingestor.admit();
  const common = { method: 'POST', scope: 'write', style: 'problem', takesSdkBodies: true, admit } as const;
  return [
    ...CALLS.map((source): Route => ({
      ...common,
      path: `/v1/${source}`,
      aliases: aliasesOf(source),
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handle: (call) => refuseType(call) ?? acceptOne(ingestor, call, source, refusals),
    })),
    {
      ...common,
      path: '/v1/batch',
      aliases: aliasesOf('batch', ['/v1/import']),
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handle: (call) => refuseType(call) ?? acceptBatch(ingestor, call, refusals),
    },
  ];
}

/** The short name of Segment's browser SDK, Dittofeed's and Jitsu's paths; each with and without a final slash. */
function aliasesOf(name: string, more: readonly string[] = []): readonly string[] {
  const path = `/v1/${name}`;
  const others = [`/v1/${name.charAt(0)}`, `/api/public/apps/${name}`, `/api/s/s2s/${name}`, `/api/s/${name}`, ...more];
  return [...others, ...[path, ...others].map((each) => `${each}/`)];
}

/** The interface's own form demands that its type is named; what is in the form of an SDK may have any. */
function refuseType(call: Call): Refusal | undefined {
  return isJson(call.headers) || isSdkBody(call.text) ? undefined : UNSUPPORTED_TYPE;
}

/** '' where the request has none. */
export function idempotencyKeyOf({ headers }: Call): string {
  const given = headers['idempotency-key'];
  return typeof given === 'string' ? given : '';
}

type CountsRefusals = Pick<RefusalCounts, 'addItems' | 'addAdjusted'>;

async function acceptOne(
  ingestor: Ingestor,
  call: Call,
  source: (typeof CALLS)[number],
  refusals: CountsRefusals | undefined,
): Promise<Answer | Refusal> {
  const accepted = await ingestor.accept(call.project, source, call.body, idempotencyKeyOf(call));
  if ('refused' in accepted) return accepted;
  const id = accepted.messageIds.slice(1, -1);
  const start = `{"success":true,"message_id":${id},"receipt":${quotedReceipt(accepted)}`;
  return { status: 200, body: `${start}${warnings(call, accepted, refusals)}}` };
}

/** All of its messages or none; the valid ones, with the others listed, where that is asked for or it is an SDK's. */
async function acceptBatch(
  ingestor: Ingestor,
  call: Call,
  refusals: CountsRefusals | undefined,
): Promise<Answer | Refusal> {
  const lenient = isLenient(call.headers);
  const accepted = await ingestor.accept(call.project, 'batch', call.body, idempotencyKeyOf(call), lenient);
  if ('refused' in accepted) return accepted;
  const start = `{"success":true,"message_ids":${accepted.messageIds},"receipt":${quotedReceipt(accepted)}`;
  const { details } = accepted;
  if (accepted.rejected > 0) refusals?.addItems(call, details, accepted.rejected);
  const rejected = details === '' ? '' : `,"rejected":${details}`;
  const body = `${start}${rejected}${warnings(call, accepted, refusals)}}`;
  return lenient ? { status: 200, body, headers: { 'Preference-Applied': 'handling=lenient' } } : { status: 200, body };
}

function quotedReceipt({ receipt }: AcceptedBody): string {
  return receipt === null ? 'null' : `"${receipt}"`;
}

/** What has no effect was probably meant to have one, and what was mended to be otherwise. */
function warnings(
  call: Call,
  { ignored, adjusted, adjustedMessages }: AcceptedBody,
  refusals?: CountsRefusals,
): string {
  if (ignored !== '') return `,"ignored":${ignored}`;
  if (adjusted === '') return '';
  refusals?.addAdjusted(call, adjusted, adjustedMessages);
  return `,"adjusted":${adjusted}`;
}
