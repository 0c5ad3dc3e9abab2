/** Converts the errors of the driver. The result contains neither values of statements nor passwords. */
import { TidemarkError } from '../../../runtime/errors.ts';
import { isPermanent, reasonOf } from '../../../runtime/transport-faults.ts';
import { sqlState, storeError } from '../errors.ts';
import type { PostgresSettings } from './url.ts';

/** The error of a statement, and whether its connection must not be used again. */
export interface Failure {
  readonly error: TidemarkError;
  readonly endsConnection: boolean;
}

/**
 * SQLSTATEs after which the server has closed the connection (08, 57P, 25P03 and 25P04: its transaction was idle or
 * took too long), or after which the server is read-only (25006): a new connection may reach the server that took over.
 */
const ENDS_CONNECTION = /^(?:08|57P|58|XX|25P03|25P04|25006)/;

/** Those of them that a new connection resolves and that `database/errors.ts` does not list. */
const PASSES_WITH_IT = /^25P0[34]/;

export function statementFailure(error: unknown): Failure {
  const state = sqlState(error);
  if (state === undefined) return { error: connectionLost(error), endsConnection: true };
  const { code, message, cause } = storeError(error as Error, state);
  const ours = new TidemarkError(PASSES_WITH_IT.test(state) ? 'STORE_UNAVAILABLE' : code, message, { cause });
  return { error: ours, endsConnection: ENDS_CONNECTION.test(state) };
}

function connectionLost(error: unknown): TidemarkError {
  const text = reasonOf(error);
  return new TidemarkError('STORE_UNAVAILABLE', `the connection to Postgres was lost: ${text}`, { cause: bare(text) });
}

/** The error of a new connection, or of the wait for a free one. */
export function connectError(error: unknown, settings: PostgresSettings): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const state = sqlState(error);
  if (state !== undefined) return permanentError(error as Error, state, settings);
  // The pool wraps errors that its own time limit caused.
  const text = error instanceof Error && error.cause instanceof Error ? error.message : reasonOf(error);
  if (text === POOL_FULL) {
    const message = `all ${settings.poolMax} connections to Postgres are in use (pool_max)`;
    return new TidemarkError('STORE_UNAVAILABLE', message, { cause: bare(text) });
  }
  const isDenied = text.startsWith('SASL:') || text === NO_TLS || isPermanent(error);
  const message = `${isDenied ? 'no agreement' : 'no connection'} with Postgres at ${addressOf(settings)}: ${text}`;
  return new TidemarkError(isDenied ? 'SERVER_DENIED' : 'STORE_UNAVAILABLE', message, { cause: bare(text) });
}

// Messages of the driver and its pool whose errors have no code.
const POOL_FULL = 'timeout exceeded when trying to connect';
const NO_TLS = 'The server does not support SSL connections';

/** The error of a server that refused the connection. It is retryable if the cause is transient (starting, full). */
function permanentError(error: Error, state: string, settings: PostgresSettings): TidemarkError {
  const { cause } = storeError(error, state);
  const { user, database } = settings;
  const where = `Postgres at ${addressOf(settings)}`;
  const denied = (what: string) => new TidemarkError('SERVER_DENIED', `${where} ${what} (${state})`, { cause });
  if (state === '3D000') return denied(`has no database ${JSON.stringify(database)}`);
  if (state.startsWith('42501')) return denied(`does not let ${user} connect to ${JSON.stringify(database)}`);
  if (state.startsWith('28'))
    return denied(`refuses ${user}: name, password, address or TLS (sslmode) is not to its liking`);
  const ours = storeError(error, state);
  return ours.retryable ? ours : denied('refuses the connection');
}

function addressOf({ host, port }: PostgresSettings): string {
  return host.startsWith('/') ? host : `${host}:${port}`;
}

/** Drops the clients and certificates that the driver attaches to its errors, because a logger would print them. */
function bare(text: string): Error {
  return new Error(text);
}
