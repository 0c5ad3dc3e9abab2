import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Project } from '../stores/projects/project-store.ts';

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
