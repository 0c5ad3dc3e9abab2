/**
 * What is wrong and what to do about it, by the code that the service gives it: one table for what was rejected, for
 * forms, dead letters and imports (test/console/problems.test.ts holds it against docs/errors.md). Pure.
 */

export interface Words {
  readonly what: string;
  readonly todo: string;
}

const AGAIN = 'Send it again after a moment.';

export const PROBLEMS: Readonly<Record<string, Words>> = {
  'malformed-request': { what: 'It is not a web request', todo: 'Send it with a library for HTTP.' },
  'unsupported-type': {
    what: 'It is not marked as JSON',
    todo: 'Send the header Content-Type: application/json.',
  },
  'unsupported-encoding': {
    what: 'It is compressed in an unknown way',
    todo: 'Send the body as it is, or compressed with gzip.',
  },
  'undecodable-body': {
    what: 'It cannot be decoded',
    todo: 'Send UTF-8, and name the compression in Content-Encoding.',
  },
  'invalid-body': { what: 'Something has to be corrected', todo: 'Correct what is named, and send it again.' },
  'invalid-parameter': { what: 'Something has to be corrected', todo: 'Correct what is named, or choose it again.' },
  unauthorized: { what: 'This key does not open it', todo: 'Use a key that has the permission for it.' },
  'origin-refused': {
    what: 'A page of another site sent it',
    todo: 'An administrator names the site in the setting CORS_ORIGINS.',
  },
  'not-found': { what: 'Not found', todo: 'It may have been deleted, or belong to another project.' },
  'method-not-allowed': {
    what: 'This address does not take it',
    todo: 'Send it to the address that the documentation names.',
  },
  timeout: { what: 'It did not arrive in time', todo: 'Send less at once, or over a better connection.' },
  conflict: { what: 'This is not possible now', todo: '' },
  'in-progress': { what: 'The same is under way already', todo: 'Wait for its answer.' },
  'already-done': { what: 'This was done already', todo: 'Nothing is left to do.' },
  'precondition-failed': { what: 'Somebody else changed it meanwhile', todo: 'Load it again, and repeat your change.' },
  'too-large': { what: 'Too large', todo: 'Send fewer or smaller messages in one request.' },
  'key-reused': { what: 'Another request had this key', todo: 'Use a new Idempotency-Key for each request.' },
  'query-limit': {
    what: 'This question exceeds a limit',
    todo: 'Ask about a rarer event or a shorter time, or raise the limit of the project in Settings.',
  },
  'rate-limited': {
    what: 'Too many requests at once',
    todo: 'Send fewer requests a second, or raise the limit of the project in Settings.',
  },
  overloaded: { what: 'Too many requests at once', todo: AGAIN },
  'headers-too-large': { what: 'The headers are too large', todo: 'Send fewer or smaller headers and cookies.' },
  internal: {
    what: 'Something went wrong in the service',
    todo: 'Try again. The log has it under the id of the request.',
  },
  unavailable: { what: 'A part of the service is unavailable', todo: AGAIN },
  'insufficient-storage': { what: 'The disk of the service is full', todo: 'Free space there, then send it again.' },
  // Of the console itself, and of what is counted.
  network: { what: 'The service did not answer', todo: '' },
  adjusted: {
    what: 'Recorded without what could not be used',
    todo: 'Correct what is named, so that nothing is left out.',
  },
  other: { what: 'Many other problems', todo: 'Correct those that are told apart first.' },
  // Of messages that became dead letters.
  MESSAGE_UNDECODABLE: {
    what: 'The message cannot be read',
    todo: 'Another program wrote it, or its schema is gone: restore the schema and replay, or drop it.',
  },
  STORE_REJECTED: { what: 'A value cannot be stored', todo: 'Correct the message, or drop it.' },
};

/** What the service says of a value, as a person reads it. What has no words here is said as it came. */
const SAYINGS: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [
    /leads to an inner address.*/,
    () => 'is inside your network. An administrator allows it with the setting WEBHOOK_ALLOW',
  ],
  [/^is not https: .*/, () => 'does not begin with https://, which addresses outside your network need'],
  [/^is required$|^must not be empty$/, () => 'is missing'],
  [/^is not JSON: .*/s, () => 'is not JSON'],
  [/^is not an ISO-8601 date-time.*/, () => 'is not a time such as 2026-11-20T10:15:00Z'],
  [/^must be ([a-z]+(?:,[a-z]+)*)$/, (_, kinds = '') => `must be ${kinds.split(',').map(kindOf).join(' or ')}`],
];

function kindOf(kind: string): string {
  return KINDS[kind] ?? kind;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'left out',
};

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
