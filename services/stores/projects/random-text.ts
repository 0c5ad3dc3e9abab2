import { randomInt } from 'node:crypto';

export const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const BASE62 = `${BASE36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Characters drawn from the alphabet, each as likely as any other, by the cryptographic generator. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
