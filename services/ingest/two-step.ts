import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import { parseBody } from '../messages/json.ts';
import { userKeyOf } from '../messages/user-key.ts';
import { validateAddEvent, validateProjectUser } from '../messages/validate.ts';
import type { Ingestor } from './accept.ts';
import { BODY_LIMIT_BYTES, optionsOf } from './public-api.ts';
import { isSessionOf, newSessionId } from './session.ts';

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
  const parsed = parseBody(call.text);
  if (!parsed.ok) return invalid('invalid-body', parsed.problems);
  const validated = validateProjectUser(parsed.value);
  if (!validated.ok) return invalid('invalid-body', validated.problems);
  const { project } = call;
  const userKey = userKeyOf(project.id, validated.draft.userId);
  const sessionId = newSessionId(project, userKey);
  const session = { type: 'session', source: 'project-user', userKey, sessionId, ...UNSAID } as const;
  const accepted = await ingestor.accept(project, [{ ...session, ...validated.draft }], optionsOf(call));
  if ('refused' in accepted) return accepted;
  return success('User and session are ready.', {
    user_id: userKey,
    session_id: sessionId,
    receipt: accepted.receipt,
  });
}

async function acceptEvent(ingestor: Ingestor, call: Call): Promise<Answer | Refusal> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return invalid('invalid-body', parsed.problems);
  const validated = validateAddEvent(parsed.value);
  if (!validated.ok) return invalid('invalid-body', validated.problems);
  const { project } = call;
  const { draft } = validated;
  if (!isSessionOf(project, draft.userKey, draft.sessionId)) return invalid('invalid-body', NO_PAIR);
  const track = { type: 'track', source: 'add-event', userId: null, ...UNSAID } as const;
  const accepted = await ingestor.accept(project, [{ ...track, ...draft }], optionsOf(call));
  if ('refused' in accepted) return accepted;
  return success('Event is recorded.', {
    insertedEvent: { insertedId: accepted.messageIds[0] },
    receipt: accepted.receipt,
  });
}

/** What the two-step interface has no field for. */
const UNSAID = { anonymousId: null, timestamp: null } as const;

const NO_PAIR = [
  { path: '/session_id', message: 'is no session of this user_id: both must come from one answer of project-user' },
];

function success(message: string, result: object): Answer {
  return { status: 200, body: JSON.stringify({ success: 200, message, result }) };
}
