import { readFileSync } from 'node:fs';
import { TidemarkError } from '../runtime/errors.ts';

/** Where a registry is and how to get in. */
export interface RegistryAddress {
  /** Without name, password, query and trailing slash: it may be shown. */
  readonly base: string;
  /** The value of the header of that name. Secret. */
  readonly authorization: string | undefined;
  /** PEM, instead of the authorities that Node trusts. */
  readonly certificateAuthorities: string | undefined;
}

/**
 * `http[s]://[user:password@]host[:port][/path][?ca_file=PEM]`, name and password percent-encoded.
 *
 * @throws TidemarkError `CONFIG_INVALID`, without the password.
 */
export function parseRegistryUrl(text: string): RegistryAddress {
  const url = URL.parse(text);
  // Not quoted: what does not parse may hold a password all the same.
  if (url === null) throw invalid('its address is no URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(`${url.protocol} is not http: or https:`);
  }
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  return { base, authorization: authorizationOf(url), certificateAuthorities: certificateAuthoritiesOf(url) };
}

function authorizationOf(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('its name or password is not percent-encoded: write % as %25');
  }
}

function certificateAuthoritiesOf(url: URL): string | undefined {
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'ca_file');
  if (unknown !== undefined) throw invalid(`nothing is known of its parameter ${unknown} (known: ca_file)`);
  const file = url.searchParams.get('ca_file');
  if (file === null) return undefined;
  if (url.protocol === 'http:') throw invalid('ca_file has no meaning without https:');
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw invalid(`ca_file ${file} cannot be read`, cause);
  }
}

function invalid(why: string, cause?: unknown): TidemarkError {
  return new TidemarkError('CONFIG_INVALID', `the schema registry cannot be used: ${why}`, { cause });
}
