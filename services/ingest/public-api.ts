import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import type { AcceptOptions, Ingestor } from './accept.ts';
import { isLenient, sortItems } from './lenient.ts';
import { arrivalsOf, batchAnswer, type PublicSource } from './public-body.ts';

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
      handle: (call) => acceptWhole(ingestor, call, 'identify'),
    },
    {
      ...common,
      path: '/v1/track',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handle: (call) => acceptWhole(ingestor, call, 'track'),
    },
    {
      ...common,
      path: '/v1/batch',
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handle: (call) =>
        isLenient(call.headers) ? acceptLenient(ingestor, call) : acceptWhole(ingestor, call, 'batch'),
    },
  ];
}

/** What the request's `Idempotency-Key` asks for. */
export function optionsOf({ headers }: Call): AcceptOptions {
  const given = headers['idempotency-key'];
  return { idempotencyKey: typeof given === 'string' && given !== '' ? given : undefined };
}

/** All of its messages or none. */
async function acceptWhole(ingestor: Ingestor, call: Call, source: PublicSource): Promise<Answer | Refusal> {
  const outcome = await ingestor.acceptBody(call.project, source, call.body, optionsOf(call));
  return typeof outcome === 'string' ? { status: 200, body: outcome } : outcome;
}

/** The valid items; the others are listed. */
async function acceptLenient(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const sorted = sortItems(call.text, call.project.timezone);
  if (!sorted.ok) return invalid('invalid-body', sorted.problems);
  const { drafts, indexes, rejected, count } = sorted;
  const options = { ...optionsOf(call), indexes };
  const accepted = await ingestor.accept(call.project, arrivalsOf(call.project.id, drafts, 'batch'), options);
  const inPlace = (ids: readonly (string | null)[]): (string | null)[] => {
    const all = Array.from<string | null>({ length: count }).fill(null);
    for (const [i, index] of indexes.entries()) all[index] = ids[i] ?? null;
    return all;
  };
  if ('refused' in accepted) {
    return accepted.messageIds === undefined ? accepted : { ...accepted, messageIds: inPlace(accepted.messageIds) };
  }
  const body = batchAnswer(inPlace(accepted.messageIds), accepted.receipt, { rejected });
  return { status: 200, body, headers: { 'Preference-Applied': 'handling=lenient' } };
}
