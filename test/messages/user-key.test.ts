import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { anonymousKeyOf, partitionKeyOf, userKeyOf } from '../../services/messages/user-key.ts';

test('a user key is the SHA-256 of what it stands for, each part behind its length in bytes', () => {
  const expected = createHash('sha256').update('4:user6:proj_19:Jürgen 1').digest('hex');

  expect(userKeyOf('proj_1', 'Jürgen 1')).toBe(expected);
});

test('a user key is what it always was', () => {
  expect(userKeyOf('proj_1', 'u1')).toBe('60e5bc23addd5be5acc5c92c3e5e11b3c8310d4cfb07123dab98443515b28d93');
  expect(anonymousKeyOf('proj_1', 'u1')).toBe('0a72ea71ca53ff739061b0b179b7afeaff5883476666dcf7f83282c349ab3b98');
});

test('no two users share a key', () => {
  const keys = [
    userKeyOf('p', 'u'),
    anonymousKeyOf('p', 'u'),
    userKeyOf('q', 'u'),
    userKeyOf('p1', 'u'),
    userKeyOf('p', '1u'),
    userKeyOf('p', '1:u'),
    userKeyOf('p1:', 'u'),
    userKeyOf('', 'pu'),
    userKeyOf('anonymous', 'u'),
  ];

  expect(new Set(keys).size).toBe(keys.length);
});

test('the key of a record names project and user', () => {
  const key = partitionKeyOf({ projectId: 'proj_1', userKey: 'ab'.repeat(32) });

  expect(new TextDecoder().decode(key)).toBe(`proj_1/${'ab'.repeat(32)}`);
});
