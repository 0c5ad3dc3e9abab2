import { array, assert, asyncProperty, constant, constantFrom, integer, nat, oneof, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WantedIds } from '../../../services/stores/erasures/wanted-ids.ts';

async function* pieces(text: string, cuts: readonly number[]): AsyncGenerator<string> {
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (text.length + 1)), text.length].toSorted((a, b) => a - b)) {
    yield text.slice(from, cut);
    from = cut;
  }
}

describe('ids in a text that comes in pieces', () => {
  test.each([
    {
      what: 'an id that a cut makes out of a longer one',
      ids: ['user-12'],
      text: 'user-123,x',
      cuts: [7],
      found: 'not found',
    },
    { what: 'an id that is cut', ids: ['user-12'], text: 'x,user-12,y', cuts: [6], found: 'found' },
    { what: 'an id at the end', ids: ['user-12'], text: 'x,user-12', cuts: [4], found: 'found' },
    { what: 'an id that ends where a piece does', ids: ['user-12'], text: 'user-12,', cuts: [7], found: 'found' },
    { what: 'an id with spaces in a longer value', ids: ['a L'], text: 'Ada Love,', cuts: [], found: 'not found' },
    { what: 'an id with spaces that is cut', ids: ['Ada L.'], text: '"Ada L.",', cuts: [5], found: 'found' },
    {
      what: 'an id at the end of a value longer than any id',
      ids: ['12'],
      text: `${'x'.repeat(20_000)}12,y`,
      cuts: [4_096, 8_192, 12_288, 15_904, 15_905, 15_906],
      found: 'not found',
    },
    {
      what: 'an id at the beginning of a value longer than any id',
      ids: ['12'],
      text: `12${'x'.repeat(4_097)},y`,
      cuts: [4_099],
      found: 'not found',
    },
    {
      what: 'an id where what is kept of the last piece would begin',
      ids: ['12'],
      text: `,user-12,${'y,'.repeat(2_046)}z`,
      cuts: [4_102],
      found: 'not found',
    },
  ])('$what is $found', async ({ ids, text, cuts, found }) => {
    expect(await new WantedIds(ids).isInAny(pieces(text, cuts))).toBe(found === 'found');
  });

  test('ids are found as in the whole text, however it is cut', async () => {
    const id = string({ unit: constantFrom('a', 'b', '-', ' '), minLength: 1, maxLength: 4 });
    const long = integer({ min: 1, max: 9_000 }).map((length) => 'a'.repeat(length));
    const text = array(oneof(id, constant(','), long), { maxLength: 12 }).map((each) => each.join(''));
    await assert(
      asyncProperty(array(id), text, array(nat(40_000)), async (ids, whole, cuts) => {
        const wanted = new WantedIds(ids);
        expect(await wanted.isInAny(pieces(whole, cuts))).toBe(wanted.isIn(whole));
      }),
    );
  });
});
