import { hash, randomInt } from 'node:crypto';
import type { Scope } from './project-store.ts';

// The prefix identifies a key by its text, so that one found in the wrong place (a repository, a log) can be
// recognized.
const PREFIXES = { write: 'tm_w_', read: 'tm_r_' } as const satisfies Record<Scope, string>;

/** 43 characters out of 62 carry 256 bits. */
const RANDOM_CHARACTERS = 43;

/**
 * A new key in plain text: `tm_w_` or `tm_r_` and 43 random letters and digits. To be shown once and stored nowhere.
 */
export function makeKey(scope: Scope): string {
  return PREFIXES[scope] + randomText(RANDOM_CHARACTERS, BASE62);
}

/** The hash that the store keeps of a key. A key is long and random, so brute force cannot reverse a plain SHA-256. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

export const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const BASE62 = `${BASE36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Uniformly random characters of the alphabet, from the cryptographic generator. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
