import { expect, test } from 'vitest';
import { isHex } from '../../services/messages/hex.ts';

test('every digit counts', () => {
  expect(isHex('0123456789abcdef', 16)).toBe(true);
});

test.each(['', '0123456789abcde', '0123456789abcdef0'])('%o is too short or too long', (text) => {
  expect(isHex(text, 16)).toBe(false);
});

test.each(['A', 'g', '`', '/', ':', ' ', '\0', 'é', '\u0130', '\ud835', '\uff11'])('%o is no digit', (other) => {
  for (const at of [0, 7, 15]) {
    expect(isHex('0'.repeat(at) + other + '0'.repeat(15 - at), 16)).toBe(false);
  }
});
