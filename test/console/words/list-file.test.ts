import { describe, expect, test } from 'vitest';
import { listDefinition, listIn, readList } from '../../../console/src/screens/audiences/list-file.ts';

function firstColumnOf(text: string): readonly string[] | undefined {
  return readList(text).columns[0]?.values;
}

describe('a list in a file', () => {
  test.each([
    ['lines', 'ada\nbob\n'],
    ['lines with CR and no last end', 'ada\r\nbob'],
    ['a byte order mark and blank lines', '\uFEFF\n\nada\n  \nbob\n\n'],
    ['doubled lines', 'ada\nbob\nada\nbob\n'],
    ['a header', 'user_id\nada\nbob\n'],
    ['quotes and blanks around', '"ada"\n  bob\t\n'],
    ['a column among others', 'Name,Customer ID,Plan\n"Lovelace, Ada",ada,pro\nBob,bob,\n'],
    ['semicolons', 'E-Mail;Name\nada;"A;B"\nbob;"two\nlines"\n'],
  ])('%s are read', (_, text) => {
    expect(firstColumnOf(text)).toEqual(['ada', 'bob']);
  });

  test('what is in quotes keeps its quotes, blanks and delimiters, and a bar is a part of an id', () => {
    expect(firstColumnOf('"o""neil"\n" spaced "\n"a,b"\nauth0|7\nd\'arc\n5" nail\n')).toEqual([
      'o"neil',
      ' spaced ',
      'a,b',
      'auth0|7',
      "d'arc",
      '5" nail',
    ]);
  });

  test('lines are counted without the header and blank ones, doubled ones included', () => {
    expect(readList('email\na@x\nA@x\n\na@x\n').lines).toBe(3);
    expect(readList('')).toEqual({ columns: [], lines: 0 });
  });

  test('a quote that is never closed takes its line alone', () => {
    expect(firstColumnOf('ada\n"bob\neve\n')).toEqual(['ada', '"bob', 'eve']);
  });

  test('the definition of a list is read as the list again', () => {
    const many = Array.from({ length: 2_500 }, (_, n) => `${n}@x.org`);

    for (const list of [
      { trait: undefined, values: ['ada'] },
      { trait: 'email', values: ['a@x'] },
      { trait: 'email', values: many },
    ])
      expect(listIn(listDefinition(list))).toEqual(list);
    expect(listDefinition({ trait: undefined, values: ['ada'] })).toEqual({ users: ['ada'] });
  });

  test('an audience of other conditions is no list', () => {
    for (const definition of [
      { trait: 'plan', in: ['pro'] },
      { any: [{ users: ['ada'] }, { event: 'Paid' }] },
      { all: [{ users: ['ada'] }] },
      { event: { any: true } },
    ])
      expect(listIn(definition)).toBeUndefined();
  });
});
