import { hash, randomInt } from 'node:crypto';
import { type Scope, SCOPES } from './project-store.ts';

// The prefix identifies a key by its text, so that one found in the wrong place (a repository, a log) can be
// recognized.
const PREFIXES = {
  write: 'tm_w_',
  read: 'tm_r_',
  audiences: 'tm_u_',
  admin: 'tm_a_',
  flags: 'tm_f_',
} as const satisfies Record<Scope, string>;

/** 43 characters out of 62 carry 256 bits. */
const RANDOM_CHARACTERS = 43;

/**
 * A new key in plain text: a prefix for its scope, the first if it has several (`tm_w_`, `tm_r_`, `tm_u_`, `tm_a_`, `tm_f_`) and 43 random
 * letters and digits. To be shown once and stored nowhere.
 */
export function makeKey(scope: Scope): string {
  return PREFIXES[scope] + randomText(RANDOM_CHARACTERS, BASE62);
}

/** The scope that a set is known by where only one can be named. */
export function firstScope(scopes: readonly Scope[]): Scope {
  const first = SCOPES.find((scope) => scopes.includes(scope));
  if (first === undefined) throw new Error('a key has one scope at least');
  return first;
}

/** The hash that the store keeps of a key. A key is long and random, so brute force cannot reverse a plain SHA-256. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

export const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const BASE62 = `${BASE36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Uniformly random characters of the alphabet, from the cryptographic generator. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
