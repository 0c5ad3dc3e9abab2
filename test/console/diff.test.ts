import { expect, test } from 'vitest';
import { diffOf } from '../../console/src/screens/letters/diff.ts';

const SIGNS = { same: ' ', gone: '-', new: '+' } as const;

function signed(before: string, after: string): readonly string[] {
  return diffOf(before, after).map(({ kind, text }) => SIGNS[kind] + text);
}

test.each([
  ['a\nb\nc', 'a\nb\nc', [' a', ' b', ' c']],
  ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a\nc', 'a\nb\nc', [' a', '+b', ' c']],
  ['a\nb\nc', 'a\nc', [' a', '-b', ' c']],
  ['a\nb\nc\nd', 'b\nx\nd', ['-a', ' b', '-c', '+x', ' d']],
  ['a\na', 'a', [' a', '-a']],
  ['', 'a', ['-', '+a']],
])('the lines of %j that become %j are told apart', (before, after, lines) => {
  expect(signed(before, after)).toEqual(lines);
});

test('texts of thousands of lines without any in common are told apart without comparing each pair', () => {
  const lines = (name: string): string => Array.from({ length: 5_000 }, (_, n) => name + n).join('\n');

  const diff = diffOf(lines('a'), lines('b'));

  expect(diff.filter(({ kind }) => kind === 'gone')).toHaveLength(5_000);
  expect(diff.filter(({ kind }) => kind === 'new')).toHaveLength(5_000);
});
