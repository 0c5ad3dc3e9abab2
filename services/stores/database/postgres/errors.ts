/** What the driver rejects with, as ours. No value of a statement and no password is in any of it. */
import { TidemarkError } from '../../../runtime/errors.ts';
import { isPermanent, reasonOf } from '../../../runtime/transport-faults.ts';
import { sqlState, storeError } from '../errors.ts';
import type { PostgresSettings } from './url.ts';

/** What a statement rejected with; and whether its connection is of no more use. */
export interface Failure {
  readonly error: TidemarkError;
  readonly endsConnection: boolean;
}

/**
 * States after which the connection is closed by the server (08, 57P, 25P03 and 25P04: its transaction idled or took too
 * long) or is one to a server that only reads (25006): a new connection may lead to the one that took over.
 */
const ENDS_CONNECTION = /^(?:08|57P|58|XX|25P03|25P04|25006)/;

/** Of these, what passes with a new connection and is in no list of `errors.ts`. */
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

/** What a new connection, or the wait for a free one, failed with. */
export function connectError(error: unknown, settings: PostgresSettings): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const state = sqlState(error);
  if (state !== undefined) return permanentError(error as Error, state, settings);
  // The pool wraps what its own limit of time brought about.
  const text = error instanceof Error && error.cause instanceof Error ? error.message : reasonOf(error);
  if (text === POOL_FULL) {
    const message = `all ${settings.poolMax} connections to Postgres are in use (pool_max)`;
    return new TidemarkError('STORE_UNAVAILABLE', message, { cause: bare(text) });
  }
  const isDenied = text.startsWith('SASL:') || text === NO_TLS || isPermanent(error);
  const message = `${isDenied ? 'no agreement' : 'no connection'} with Postgres at ${addressOf(settings)}: ${text}`;
  return new TidemarkError(isDenied ? 'SERVER_DENIED' : 'STORE_UNAVAILABLE', message, { cause: bare(text) });
}

// The driver's and its pool's own words, which carry no code.
const POOL_FULL = 'timeout exceeded when trying to connect';
const NO_TLS = 'The server does not support SSL connections';

/** The server answered and does not want us. What passes by itself (it starts, it is full) is for another try. */
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

/** The driver hangs whole clients and certificates on its errors, which a logger would print. */
function bare(text: string): Error {
  return new Error(text);
}
