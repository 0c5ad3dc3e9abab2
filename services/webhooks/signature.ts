/** Secrets and signatures of Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec). */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret in the form of the specification: `whsec_` and base64. */
export function makeSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** What is signed of a message. */
export interface SignedMessage {
  /** The `webhook-id`. */
  readonly id: string;
  /** When the attempt is made. */
  readonly timestampS: number;
  readonly body: string;
}

/** The headers of a message: its id, the time of the attempt, and a signature by each secret, the newest first. */
export function signedHeaders(message: SignedMessage, secrets: readonly string[]): Readonly<Record<string, string>> {
  const { id, timestampS } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': secrets.map((secret) => signatureOf(message, secret)).join(' '),
  };
}

function signatureOf({ id, timestampS, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
}
