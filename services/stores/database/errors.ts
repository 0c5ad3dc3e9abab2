import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';

/**
 * What passes by itself: connection lost (08), serialization failure and deadlock (40001, 40P01), out of disk, memory or
 * connections (53), shutdown (57), lock not available (55P03), internal trouble (58, XX). And what
 * passes once somebody acts, whatever the values are: no access (28, 42501), database, schema, table or column missing
 * (3D, 3F, 42P01, 42703), read-only (25006). A message must not be blamed for those.
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const RETRYABLE_STATES = /^(?:08|28|3D|3F|53|57|58|XX|25006|40001|40P01|42501|42703|42P01|55P03)/;

/** The server ended a statement because of its `statement_timeout` (or because somebody asked it to). */
const CANCELLED = '57014';

/**
 * The error of a driver as ours, by its SQLSTATE. What the database quotes may be a person's, and a driver's own error
 * carries the parameters: neither goes into a message or a cause that is logged.
 */
export function storeError(error: Error, state: string): TidemarkError {
  const cause = new Error(`${state}: ${withoutValues(error.message)}`);
  cause.stack = error.stack?.replace(error.message, () => cause.message) ?? '';
  return new TidemarkError(codeOfSqlState(state), `the database says ${cause.message}`, { cause });
}

function codeOfSqlState(state: string): ErrorCode {
  if (state === CANCELLED) return 'STORE_TIMEOUT';
  return RETRYABLE_STATES.test(state) ? 'STORE_UNAVAILABLE' : 'STORE_REJECTED';
}

const QUOTED = /"[^]*"/;

/** A server that speaks another language may quote in other ways (»…«): of its texts nothing is kept. */
function withoutValues(message: string): string {
  const text = message.replace(QUOTED, '"…"');
  return /^[\x20-\x7e…]*$/.test(text) ? text : '…';
}

/** The five characters that say what went wrong, undefined where the error is not the database's answer. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
