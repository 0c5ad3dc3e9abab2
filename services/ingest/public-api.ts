import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import type { Ingestor } from './accept.ts';
import type { AcceptedBody } from './encode-job.ts';
import { isLenient } from './lenient.ts';

/** 32 KB, the most that a request other than a batch may have. */
export const BODY_LIMIT_BYTES = 32_768;
/** 500 KB. */
export const BATCH_LIMIT_BYTES = 512_000;

/** `POST /v1/identify`, `/v1/track` and `/v1/batch`. */
export function publicRoutes(ingestor: Ingestor): Route[] {
  const admit = (): Refusal | undefined => ingestor.admit();
  const common = { method: 'POST', scope: 'write', style: 'problem', admit } as const;
  return [
    {
      ...common,
      path: '/v1/identify',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handle: (call) => acceptOne(ingestor, call, 'identify'),
    },
    {
      ...common,
      path: '/v1/track',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handle: (call) => acceptOne(ingestor, call, 'track'),
    },
    {
      ...common,
      path: '/v1/batch',
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handle: (call) => acceptBatch(ingestor, call),
    },
  ];
}

/** '' where the request has none. */
export function idempotencyKeyOf({ headers }: Call): string {
  const given = headers['idempotency-key'];
  return typeof given === 'string' ? given : '';
}

async function acceptOne(ingestor: Ingestor, call: Call, source: 'identify' | 'track'): Promise<Answer | Refusal> {
  const accepted = await ingestor.accept(call.project, source, call.body, idempotencyKeyOf(call));
  if ('refused' in accepted) return accepted;
  const id = accepted.messageIds.slice(1, -1);
  return { status: 200, body: `{"success":true,"message_id":${id},"receipt":${quotedReceipt(accepted)}}` };
}

/** All of its messages or none; with `Prefer: handling=lenient` the valid items, and the others are listed. */
async function acceptBatch(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const lenient = isLenient(call.headers);
  const accepted = await ingestor.accept(call.project, 'batch', call.body, idempotencyKeyOf(call), lenient);
  if ('refused' in accepted) return accepted;
  const start = `{"success":true,"message_ids":${accepted.messageIds},"receipt":${quotedReceipt(accepted)}`;
  if (!lenient) return { status: 200, body: `${start}}` };
  const headers = { 'Preference-Applied': 'handling=lenient' };
  return { status: 200, body: `${start},"rejected":${accepted.details}}`, headers };
}

function quotedReceipt({ receipt }: AcceptedBody): string {
  return receipt === null ? 'null' : `"${receipt}"`;
}
