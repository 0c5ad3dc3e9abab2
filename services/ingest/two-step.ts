import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Answer, Route } from '../http/route.ts';
import { parseBody } from '../messages/json.ts';
import { userKeyOf } from '../messages/user-key.ts';
import { validateAddEvent, validateProjectUser } from '../messages/validate.ts';
import type { Project } from '../stores/projects/project-store.ts';
import type { Ingestor } from './accept.ts';
import { BODY_LIMIT_BYTES, optionsOf } from './public-api.ts';

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

type Signer = Pick<Project, 'id' | 'sessionSecret'>;

const NONCE_BYTES = 16;
const SIGNATURE_BYTES = 16;

/**
 * A new session of a user: 16 random bytes and their signature together with the user and the project, in base64url. So
 * any process, years later, can tell a pair of ours from a made-up one without looking anything up.
 */
export function newSessionId(project: Signer, userKey: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, sign(project, userKey, nonce)]).toString('base64url');
}

/** Whether this project gave this session to this user. */
export function isSessionOf(project: Signer, userKey: string, sessionId: string): boolean {
  const bytes = Buffer.from(sessionId, 'base64url');
  if (bytes.length !== NONCE_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== sessionId) return false;
  const expected = sign(project, userKey, bytes.subarray(0, NONCE_BYTES));
  return timingSafeEqual(expected, bytes.subarray(NONCE_BYTES));
}

function sign({ id, sessionSecret }: Signer, userKey: string, nonce: Uint8Array): Buffer {
  const mac = createHmac('sha256', sessionSecret).update(nonce).update(`${id.length}:${id}${userKey}`);
  return mac.digest().subarray(0, SIGNATURE_BYTES);
}
