import { expect, test } from 'vitest';
import { lineDiff } from '../../console/src/parts/json/line-diff.ts';

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

function signed(before: string, after: string): readonly string[] {
  return lineDiff(before.split('\n'), after.split('\n')).map(({ kind, line }) => SIGNS[kind] + line);
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
  const lines = (name: string): string[] => Array.from({ length: 5_000 }, (_, n) => name + n);

  const diff = lineDiff(lines('a'), lines('b'));

  expect(diff.filter(({ kind }) => kind === 'removed')).toHaveLength(5_000);
  expect(diff.filter(({ kind }) => kind === 'added')).toHaveLength(5_000);
});
