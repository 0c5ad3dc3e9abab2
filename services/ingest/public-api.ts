import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import type { Draft } from '../messages/draft.ts';
import { type JsonBody, parseBody } from '../messages/json.ts';
import type { Source } from '../messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../messages/user-key.ts';
import { validateBatch, validateIdentify, validateTrack, type Validated } from '../messages/validate.ts';
import type { Project } from '../projects/project-store.ts';
import type { Accepted, AcceptOptions, Arrival, Ingestor } from './accept.ts';
import { isLenient, sortItems } from './lenient.ts';

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
      handle: (call) => acceptOne(ingestor, call, 'identify', validateIdentify),
    },
    {
      ...common,
      path: '/v1/track',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handle: (call) => acceptOne(ingestor, call, 'track', validateTrack),
    },
    {
      ...common,
      path: '/v1/batch',
      bodyLimitBytes: BATCH_LIMIT_BYTES,
      handle: (call) => (isLenient(call.headers) ? acceptLenient(ingestor, call) : acceptWhole(ingestor, call)),
    },
  ];
}

/** What the request's `Idempotency-Key` asks for. */
export function optionsOf({ headers }: Call): AcceptOptions {
  const given = headers['idempotency-key'];
  return { idempotencyKey: typeof given === 'string' && given !== '' ? given : undefined };
}

type Validate = (body: JsonBody, timezone: string) => Validated<Draft>;

async function acceptOne(
  ingestor: Ingestor,
  call: Call,
  source: Source,
  validate: Validate,
): Promise<Answer | Refusal> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return invalid('invalid-body', parsed.problems);
  const { project } = call;
  const validated = validate(parsed.value, project.timezone);
  if (!validated.ok) return invalid('invalid-body', validated.problems);
  const accepted = await ingestor.accept(project, [arrivalOf(project, validated.draft, source)], optionsOf(call));
  if ('refused' in accepted) return accepted;
  const id = JSON.stringify(accepted.messageIds[0]);
  const receipt = accepted.receipt === null ? 'null' : `"${accepted.receipt}"`;
  return { status: 200, body: `{"success":true,"message_id":${id},"receipt":${receipt}}` };
}

/** All or nothing. */
async function acceptWhole(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return invalid('invalid-body', parsed.problems);
  const validated = validateBatch(parsed.value, call.project.timezone);
  if (!validated.ok) return invalid('invalid-body', validated.problems);
  const accepted = await ingestor.accept(call.project, arrivalsOf(call.project, validated.drafts), optionsOf(call));
  return 'refused' in accepted ? accepted : { status: 200, body: batchBody(accepted) };
}

/** The valid items; the others are listed. */
async function acceptLenient(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const sorted = sortItems(call.text, call.project.timezone);
  if (!sorted.ok) return invalid('invalid-body', sorted.problems);
  const { drafts, indexes, rejected, count } = sorted;
  const options = { ...optionsOf(call), indexes };
  const accepted = await ingestor.accept(call.project, arrivalsOf(call.project, drafts), options);
  const inPlace = (ids: readonly (string | null)[]): (string | null)[] => {
    const all = Array.from<string | null>({ length: count }).fill(null);
    for (const [i, index] of indexes.entries()) all[index] = ids[i] ?? null;
    return all;
  };
  if ('refused' in accepted) {
    return accepted.messageIds === undefined ? accepted : { ...accepted, messageIds: inPlace(accepted.messageIds) };
  }
  const body = batchBody({ receipt: accepted.receipt, messageIds: inPlace(accepted.messageIds) }, { rejected });
  return { status: 200, body, headers: { 'Preference-Applied': 'handling=lenient' } };
}

function batchBody(
  { messageIds, receipt }: { readonly messageIds: readonly (string | null)[]; readonly receipt: Accepted['receipt'] },
  more: object = {},
): string {
  return JSON.stringify({ success: true, message_ids: messageIds, receipt, ...more });
}

function arrivalsOf(project: Project, drafts: readonly Draft[]): Arrival[] {
  return drafts.map((draft) => arrivalOf(project, draft, 'batch'));
}

function arrivalOf({ id }: Project, draft: Draft, source: Source): Arrival {
  const userKey = draft.userId === null ? anonymousKeyOf(id, draft.anonymousId ?? '') : userKeyOf(id, draft.userId);
  return draft.type === 'track' ? { ...draft, userKey, source, sessionId: null } : { ...draft, userKey, source };
}
