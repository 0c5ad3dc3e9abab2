import { expect, test } from 'vitest';
import { etagOf, readIfMatch } from '../../services/http/if-match.ts';

test.each([
  [undefined, undefined],
  ['"7"', 7],
  [' "0" ', 0],
  ['*', 'any'],
  [etagOf(12), 12],
])('the header %o asks for the version %o', (header, version) => {
  expect(readIfMatch({ headers: header === undefined ? {} : { 'if-match': header } })).toBe(version);
});

test.each(['', '7', 'W/"7"', '"7", "8"', '"-1"', '"1.5"', `"${'9'.repeat(16)}"`, '"a"'])(
  'the header %o is refused',
  (header) => {
    expect(readIfMatch({ headers: { 'if-match': header } })).toMatchObject({
      refused: 'invalid-parameter',
      detail: expect.stringContaining('If-Match') as string,
    });
  },
);
