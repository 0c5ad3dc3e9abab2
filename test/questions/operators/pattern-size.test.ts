import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { stepsOf } from '../../../services/questions/operators/pattern-size.ts';

describe('the size of a pattern is told by its text', () => {
  test.each<[string, number]>([
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['a{1,3}', 5],
    ['a{2,}', 3],
    ['(?:a?){450}[bc]', 901],
    ['(?i)k', 1],
    ['(a*){0,9}', 45],
    ['((?:a|(b)){2}){3}', 36],
    ['(?P<name>ab){2}', 8],
    ['(?<name>ab){2}', 8],
    ['(?i-s:ab){3}', 6],
    ['.{0,100}', 200],
    ['(?i)[a-\\x{10ffff}]', 1],
    // Letters, not repeats.
    ['\\{300}', 5],
    ['[a{300}]', 1],
    ['[]{300}]', 1],
    ['[^]{300}]', 1],
    ['[[:alpha:]{300}]', 1],
    ['\\Qa{300}\\E', 6],
    ['\\Qa{300}', 6],
    ['a{}', 2],
    // What they repeat is the letter, or the set, before.
    ['\\x{1F600}{3}', 3],
    ['[a\\]]{3}', 3],
    ['[\\pL]{3}', 60],
    ['\\p{Greek}{3}', 60],
  ])('%s: %i', (pattern, steps) => {
    expect(stepsOf(pattern)).toBe(steps);
  });
});

const WORD = 'abcdefgh'.repeat(30);

describe('a pattern that would be large is refused by its text', () => {
  test.each([
    '(a*){0,999}'.repeat(46),
    '.{0,1000}'.repeat(51),
    '((a{10}){10}){11}',
    '(((a{,10}){,10}){,10}){,10}',
    `(${WORD}){1000}`,
    '(?:[ab]{500}){2}(?:c?){500}',
    '[^\\pL]{51}',
    `${'('.repeat(100)}a${'){2}'.repeat(100)}`,
    'a{99999999999999999999}',
    // Not valid, and large.
    '(a{999}{999}',
  ])('%s', (matches) => {
    expect(readDefinition({ trait: 'a', matches }, { timezone: 'UTC' })).toMatchObject({
      ok: false,
      problems: [{ path: '/matches' }],
    });
  });
});

test('a saved definition is read although its pattern would be refused today', () => {
  const definition = { trait: 'a', matches: '.{0,1000}'.repeat(51) };
  const referring = new Map([['aud_1', { name: 'Old', definition }]]);

  expect(readDefinition(definition, { timezone: 'UTC', isSaved: true }).ok).toBe(true);
  expect(readDefinition({ audience: 'aud_1' }, { timezone: 'UTC', audiences: referring }).ok).toBe(true);
});
