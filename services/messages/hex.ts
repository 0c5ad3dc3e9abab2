/** Hexadecimal digits. Pure. */

// By code unit. A look-up takes a quarter of what a regular expression does, and every message read has 96 digits.
const IS_DIGIT = new Uint8Array(0x10000);
for (const digit of '0123456789abcdef') IS_DIGIT[digit.charCodeAt(0)] = 1;

/** Whether a text is this number of hexadecimal digits, in lower case, and nothing else. */
export function isHex(text: string, digits: number): boolean {
  if (text.length !== digits) return false;
  let all = 1;
  for (let i = 0; i < digits; i++) all &= IS_DIGIT[text.charCodeAt(i)] as number;
  return all === 1;
}
