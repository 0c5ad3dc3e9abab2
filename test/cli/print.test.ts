import { expect, test } from 'vitest';
import { table } from '../../services/cli/print.ts';

test('a table has columns as wide as their widest cell and no space at a line end', () => {
  expect(
    table(
      ['ID', 'NAME', 'X'],
      [
        ['1', 'Zoë 🌊', ''],
        ['22', 'b', 'y'],
      ],
    ),
  ).toBe(['ID  NAME   X', '1   Zoë 🌊', '22  b      y', ''].join('\n'));
});

test('a table without rows is its head', () => {
  expect(table(['ID', 'NAME'], [])).toBe('ID  NAME\n');
});
