import { TidemarkError } from '../../runtime/errors.ts';
import { isPermanent } from '../../runtime/transport-faults.ts';
import { RegistryError } from './confluent-http.ts';

/** The error of registering a schema as ours. */
export function registrationError(error: unknown, subject: string, base: string): unknown {
  if (!(error instanceof RegistryError)) return error;
  const { status, message } = error;
  const options = { cause: error };
  if (status === 401 || status === 403 || isPermanent(error)) {
    return new TidemarkError('SERVER_DENIED', `the schema registry at ${base} cannot be entered: ${message}`, options);
  }
  if (status === 409 || status === 422) {
    const what = `the schema registry at ${base} refuses the schema of ${subject}`;
    return new TidemarkError('SCHEMA_INCOMPATIBLE', `${what}: ${message}`, options);
  }
  if (isPassing(status)) return awayError(error, base);
  return new TidemarkError('CONFIG_INVALID', `there is no schema registry at ${base}: ${message}`, options);
}

/** The error of looking up an id, which waits whatever it is: a message must not be blamed for it. */
export function awayError(error: RegistryError, base: string): TidemarkError {
  const { message } = error;
  return new TidemarkError('STORE_UNAVAILABLE', `the schema registry at ${base} is away: ${message}`, { cause: error });
}

function isPassing(status: number): boolean {
  return status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
}
