import { hash, randomInt } from 'node:crypto';
import type { Scope } from './project-store.ts';

// What it is shows in the key, so that a key found in the wrong place (a repository, a log) can be told for what it is.
const PREFIXES = { write: 'tm_w_', read: 'tm_r_' } as const satisfies Record<Scope, string>;

/** 43 characters of 62 hold 256 bits. */
const RANDOM_CHARACTERS = 43;

/** A new key in plain text: `tm_w_` or `tm_r_` and 43 random letters and digits. To be shown once and stored nowhere. */
export function makeKey(scope: Scope): string {
  return PREFIXES[scope] + randomText(RANDOM_CHARACTERS, BASE62);
}

/** What stands for a key in the store. A key is long and random, so that a plain SHA-256 cannot be reversed by trying. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

export const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const BASE62 = `${BASE36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Characters drawn from the alphabet, each as likely as any other, by the cryptographic generator. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
