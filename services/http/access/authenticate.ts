import type { IncomingHttpHeaders } from 'node:http';
import { readJson } from '../../messages/json.ts';
import { isObject } from '../../messages/sdk/sdk-call.ts';
import type { AuthenticatedKey, Scope } from '../../stores/projects/project-store.ts';
import type { RouteHead } from '../call.ts';
import type { Refusal } from '../problems.ts';

// Longer than any key; more would only be hashed in vain.
const MAX_KEY_LENGTH = 512;

/**
 * The key that the request carries: `api_key`, `service_key`, `x-api-key` (for proxies that drop names with an
 * underscore), `Authorization: Bearer KEY` or `Basic base64(KEY:)`, `x-write-key` (`NAME:KEY`, as Jitsu's SDK has it); the
 * first of these counts.
 */
export function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const key =
    single(headers['api_key']) ??
    single(headers['service_key']) ??
    single(headers['x-api-key']) ??
    authorizationKey(headers.authorization) ??
    single(headers['x-write-key'])?.replace(/^[^:]*:/, '');
  return acceptableKey(key);
}

/** The key that an SDK puts into the body: its member `writeKey`. */
export function keyInBody(text: string): string | undefined {
  const read = readJson(text);
  const body: unknown = read.ok ? read.value.plain : undefined;
  return isObject(body) && typeof body['writeKey'] === 'string' ? acceptableKey(body['writeKey']) : undefined;
}

function acceptableKey(key: string | undefined): string | undefined {
  return key === undefined || key === '' || key.length > MAX_KEY_LENGTH ? undefined : key;
}

/** What acts on the Unix socket, which only the owner of the data folder can open. */
export const LOCAL_KEY: AuthenticatedKey = {
  id: 'local',
  name: null,
  project: null,
  scopes: ['admin', 'read', 'audiences'],
};

/** The routes of other scopes that a scope opens beside its own. */
const ALSO_OPENS: Readonly<Record<Scope, readonly RouteHead['scope'][]>> = {
  write: [],
  read: ['flags'],
  audiences: ['read', 'flags'],
  admin: ['read', 'audiences', 'flags'],
  flags: [],
};

/** Whether this key opens this route. */
export function opens(key: AuthenticatedKey | undefined, { scope }: RouteHead): key is AuthenticatedKey {
  if (key === undefined || scope === null) return false;
  if (scope === 'any' || key.scopes.includes(scope)) return true;
  return key.scopes.some((one) => ALSO_OPENS[one].includes(scope));
}

// One text for a key that is missing, unknown, revoked or of another scope: it tells a guesser nothing.
export const UNAUTHORIZED: Refusal = {
  refused: 'unauthorized',
  detail:
    'This needs a valid key of the right scope, in the header api_key (or service_key, x-api-key, Authorization: Bearer or Basic).',
};

function authorizationKey(authorization: string | undefined): string | undefined {
  const match = /^(bearer|basic) +(\S+) *$/i.exec(authorization ?? '');
  const [, scheme, credentials] = match ?? [];
  if (scheme === undefined || credentials === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const [user] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1);
  return user;
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
