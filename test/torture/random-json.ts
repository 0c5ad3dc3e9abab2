/** JSON that is hard to keep: odd keys, numbers that no double holds, text of every script. As text, so that no digit is lost. */
import type { Dice } from './dice.ts';

const KEYS = [
  'plan',
  'a.b',
  'a',
  'b',
  '',
  ' ',
  '__proto__',
  'constructor',
  'key%2E',
  'Größe',
  '😀',
  'نص',
  '"\\',
  'x/y~z',
  '$',
];

const NUMBERS = [
  '0',
  '-0',
  '1',
  '129.90',
  '-7.5e-3',
  '9007199254740993',
  '-9223372036854775808',
  '18446744073709551616',
  '123456789012345678901234567890',
  '0.1000000000000000055',
  '1e400',
  '1E+2',
  '5e-324',
];

const TEXTS = [
  '',
  'pro',
  'null',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  'Zoë 😀',
  'مرحبا بالعالم',
  '漢字',
  'tab\tline\nquote"back\\slash/',
  '\u2028\u200f\ufeff',
  '<script>',
  "'; drop table users; --",
  'x'.repeat(300),
];

/** Anything, written in one of the ways that JSON allows. */
export function randomValue(dice: Dice, depth = 3): string {
  const kind = dice.between(0, depth > 0 ? 7 : 4);
  if (kind === 0) return dice.pick(['true', 'false', 'null']);
  if (kind <= 2) return dice.pick(NUMBERS);
  if (kind <= 4) return quoted(dice, dice.pick(TEXTS));
  const members = Array.from({ length: dice.between(0, 3) }, () => randomValue(dice, depth - 1));
  if (kind === 5) return `[${members.join(dice.pick([',', ' ,\n']))}]`;
  return `{${members.map((member) => `${quoted(dice, dice.pick(KEYS))}:${member}`).join(',')}}`;
}

/** A value that is not null. */
export function randomPresence(dice: Dice): string {
  const value = randomValue(dice);
  return value === 'null' ? '"set"' : value;
}

export function randomKey(dice: Dice): string {
  return dice.pick(KEYS);
}

/** A string with or without escapes. */
function quoted(dice: Dice, text: string): string {
  const plain = JSON.stringify(text);
  if (dice.chance(0.8)) return plain;
  return plain.replace(/[^\p{ASCII}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
