import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';

/**
 * Transient errors: connection lost (08), serialization failure and deadlock (40001, 40P01), out of disk, memory or
 * connections (53), shutdown (57), lock not available (55P03), internal error (58, XX). And errors that an operator can
 * fix, whatever the values are: no access (28, 42501), database, schema, table or column missing (3D, 3F, 42P01,
 * 42703), read-only (25006). None of these may turn a message into a dead letter.
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const RETRYABLE_STATES = /^(?:08|28|3D|3F|53|57|58|XX|25006|40001|40P01|42501|42703|42P01|55P03)/;

/** The server canceled a statement because of its `statement_timeout` (or at the request of a user). */
const CANCELLED = '57014';

/**
 * Converts the error of a driver by its SQLSTATE. The database may quote personal data, and a driver's own error has
 * the parameters. Neither goes into the message or into a cause that is logged.
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

/** A server with another language may use other quotation marks (»…«), so its texts are omitted. */
function withoutValues(message: string): string {
  const text = message.replace(QUOTED, '"…"');
  return /^[\x20-\x7e…]*$/.test(text) ? text : '…';
}

/** The SQLSTATE of an error, undefined if the error does not come from the database. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
