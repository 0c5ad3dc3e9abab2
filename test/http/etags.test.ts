import { expect, test } from 'vitest';
import { etagOf, readIfMatch } from '../../services/http/etags.ts';

test.each([
  [undefined, undefined],
  ['"7"', [7]],
  [' "0" ', [0]],
  ['"7","8" ,\t"9"', [7, 8, 9]],
  [', "7",, "8",', [7, 8]],
  ['W/"7"', []],
  ['"7", W/"8", "a", "", "07", "1.5", "a,b"', [7]],
  [`"${'9'.repeat(16)}"`, []],
  ['*', 'any'],
  [etagOf(12), [12]],
])('the header %o asks for the versions %o', (header, versions) => {
  expect(readIfMatch({ headers: header === undefined ? {} : { 'if-match': header } })).toEqual(versions);
});

test.each([
  '',
  '7',
  ',',
  '"7" "8"',
  '"7", *',
  '*, "7"',
  'w/"7"',
  '"7',
  'W/ "7"',
  '"7", 8',
  `"7"${' ,'.repeat(4_000)}x`,
])('the header %o is refused', (header) => {
  expect(readIfMatch({ headers: { 'if-match': header } })).toMatchObject({
    refused: 'invalid-parameter',
    detail: expect.stringContaining('If-Match') as string,
  });
});
