/**
 * What is wrong and what to do about it, by the code that the service gives it: one table for what was rejected, for
 * forms, dead letters and imports (test/console/words holds it against docs/errors.md). Pure.
 */
import { TYPE_NAMES } from '../../../../schemas/type-names.ts';

export interface Words {
  readonly what: string;
  readonly todo: string;
}

const AGAIN = 'Send it again after a moment.';

export function words(what: string, todo: string): Words {
  return { what, todo };
}

export const PROBLEMS: Readonly<Record<string, Words>> = {
  'malformed-request': words('It is not a web request', 'Send it with a library for HTTP.'),
  'unsupported-type': words('It is not marked as JSON', 'Send the header Content-Type: application/json.'),
  'unsupported-encoding': words('Its compression is not known', 'Send the body as it is, or compressed with gzip.'),
  'undecodable-body': words('It cannot be decoded', 'Send UTF-8, and name the compression in Content-Encoding.'),
  'invalid-body': words('Something has to be corrected', 'Correct what is named, and send it again.'),
  'invalid-parameter': words('Something has to be corrected', 'Correct what is named, or choose it again.'),
  unauthorized: words('This key does not open it', 'Use a key that has the permission for it.'),
  'origin-refused': words('A page of another site sent it', 'An administrator allows the site with CORS_ORIGINS.'),
  'not-found': words('Not found', 'It may have been deleted, or belong to another project.'),
  'method-not-allowed': words('This address does not take it', 'Send it to the address that the documentation names.'),
  timeout: words('It did not arrive in time', 'Send less at once, or over a better connection.'),
  conflict: words('This is not possible now', ''),
  'in-progress': words('The same is under way already', 'Wait for its answer.'),
  'already-done': words('This was done already', 'Nothing is left to do.'),
  'precondition-failed': words('Someone else changed it first', 'Load it again, and repeat your change.'),
  'too-large': words('Too large', 'Send fewer or smaller messages in one request.'),
  'key-reused': words('Another request had this key', 'Use a new Idempotency-Key for each request.'),
  'query-limit': words('This question exceeds a limit', 'Ask about a shorter time, or about a rarer event.'),
  'rate-limited': words('Too many requests at once', 'Send fewer a second, or raise the limit in Settings.'),
  overloaded: words('Too many requests at once', AGAIN),
  'headers-too-large': words('The headers are too large', 'Send fewer or smaller headers and cookies.'),
  internal: words('Something went wrong in the service', 'Try again. The log has it under the id of the request.'),
  unavailable: words('A part of the service is unavailable', AGAIN),
  'insufficient-storage': words('The disk of the service is full', 'Free space there, then send it again.'),
  // The console itself says these, and what is counted has them.
  network: words('The service did not answer', ''),
  adjusted: words('Recorded without what could not be used', 'Correct what is named, so that nothing is left out.'),
  other: words('Many other problems', 'Correct those that are told apart first.'),
  // Messages that became dead letters have these.
  MESSAGE_UNDECODABLE: words('The message cannot be read', 'Restore its schema and replay it, or drop it.'),
  STORE_REJECTED: words('A value cannot be stored', 'Correct the message, or drop it.'),
};

/** What the service says of a value, as a person reads it. What has no words here is said as it came. */
const SAYINGS: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [
    /leads to an inner address.*/,
    () => 'is inside your network. An administrator allows it with the setting WEBHOOK_ALLOW',
  ],
  [/^is not https: .*/, () => 'does not begin with https://, which addresses outside your network need'],
  [/ Send the same request again.*/, () => ''],
  [/^is required$|^must not be empty$/, () => 'is missing'],
  [/^is not JSON: .*/s, () => 'is not JSON'],
  [/^is not an ISO-8601 date-time.*/, () => 'is not a time such as 2026-11-20T10:15:00Z'],
  [
    /^must be ([a-z]+(?:,[a-z]+)*)$/,
    (_, kinds = '') =>
      `must be ${kinds
        .split(',')
        .map((kind) => KINDS[kind] ?? kind)
        .join(' or ')}`,
  ],
];

const KINDS: Readonly<Record<string, string>> = { ...TYPE_NAMES, null: 'left out' };

/** `is missing`: what follows the name of what is at fault. */
export function saying(message: string): string {
  return SAYINGS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
}

/** `traits → plan` of `/batch/0/traits/plan`: without what stands around it in every body. */
export function memberOf(pointer: string): string {
  const keys = pointer.split('/').slice(1);
  const own = keys[0] === 'batch' && keys.length > 2 ? keys.slice(2) : keys;
  return own
    .filter((key) => key !== '*')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' → ');
}
