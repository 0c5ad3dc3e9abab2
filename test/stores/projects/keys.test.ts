import { expect, test } from 'vitest';
import { hashKey, makeKey } from '../../../services/stores/projects/keys.ts';

test('a key says its scope and has 43 random letters and digits', () => {
  expect(makeKey('write')).toMatch(/^tm_w_[0-9A-Za-z]{43}$/u);
  expect(makeKey('read')).toMatch(/^tm_r_[0-9A-Za-z]{43}$/u);
  expect(makeKey('audiences')).toMatch(/^tm_u_[0-9A-Za-z]{43}$/u);
  expect(makeKey('admin')).toMatch(/^tm_a_[0-9A-Za-z]{43}$/u);
});

test('no two keys are the same, and every character of the alphabet occurs', () => {
  const keys = Array.from({ length: 200 }, () => makeKey('write'));

  expect(new Set(keys).size).toBe(200);
  expect(new Set(keys.flatMap((key) => key.slice('tm_w_'.length).split(''))).size).toBe(62);
});

test('a key is stored as the SHA-256 of its UTF-8 bytes, in hex', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
