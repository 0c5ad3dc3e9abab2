import { BODY_LIMIT_BYTES } from '../http/body-limits.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import type { Ingestor } from './ingestor.ts';
import { idempotencyKeyOf } from './public-api.ts';

/** `POST {base}/project-user`, the same as `{base}/create-project-user`, and `{base}/add-event`. */
export function twoStepRoutes(ingestor: Ingestor, base: string): Route[] {
  const common = {
    method: 'POST',
    scope: 'write',
    style: 'two-step',
    bodyLimitBytes: BODY_LIMIT_BYTES,
    admit: () => ingestor.admit(),
  } as const;
  const projectUser = { ...common, handle: (call: Call) => acceptUser(ingestor, call) };
  return [
    { ...projectUser, path: `${base}/project-user` },
    { ...projectUser, path: `${base}/create-project-user` },
    { ...common, path: `${base}/add-event`, handle: (call) => acceptEvent(ingestor, call) },
  ];
}

async function acceptUser(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const accepted = await ingestor.accept(call.project, 'project-user', call.body, idempotencyKeyOf(call));
  if ('refused' in accepted) return accepted;
  const { details, receipt } = accepted;
  return success('User and session are ready.', { ...(JSON.parse(details) as object), receipt });
}

async function acceptEvent(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const accepted = await ingestor.accept(call.project, 'add-event', call.body, idempotencyKeyOf(call));
  if ('refused' in accepted) return accepted;
  const [insertedId] = JSON.parse(accepted.messageIds) as readonly string[];
  return success('Event is recorded.', { insertedEvent: { insertedId }, receipt: accepted.receipt });
}

function success(message: string, result: object): Answer {
  return { status: 200, body: JSON.stringify({ success: 200, message, result }) };
}
