import { array, assert, asyncProperty, constant, constantFrom, integer, nat, oneof, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WantedIds } from '../../../services/stores/erasures/wanted-ids.ts';

async function* pieces(given: string | Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const text = Buffer.from(given);
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (text.length + 1)), text.length].toSorted((a, b) => a - b)) {
    yield text.subarray(from, cut);
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
    {
      what: 'an id between more colons than a pattern can try',
      ids: ['12'],
      text: `x${':'.repeat(400_000)}x: 12:`,
      cuts: [],
      found: 'found',
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

describe('an id as another program spells it', () => {
  const inJson = (id: string) => `{"user_id":${JSON.stringify(id)},"n":1}`;
  const escaped = (id: string) =>
    inJson(id).replace(/[^ -~]/gu, (char) =>
      Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
        '',
      ),
    );

  test.each([
    ['Python escapes what is not ASCII', 'Zo\u00eb-3', escaped('Zo\u00eb-3')],
    ['Python escapes an astral letter', 'a\u{1f642}-3', escaped('a\u{1f642}-3')],
    ['PHP escapes a slash', 'team/ada', '{"user_id":"team\\/ada"}'],
    ['JSON escapes any letter', 'ada', '{"user_id":"\\u0061da"}'],
    ['JSON escapes a quote', 'O"Neil', inJson('O"Neil')],
    ['JSON escapes a backslash', 'dom\\ada', inJson('dom\\ada')],
    ['JSON stands in JSON', 'O"Neil \u00eb', JSON.stringify({ text: escaped('O"Neil \u00eb') })],
    ['CSV doubles a quote', 'O"Neil', 'user_id,n\n"O""Neil",1\n'],
    ['JSON stands in CSV', 'O"Neil', `x,"${inJson('O"Neil').replaceAll('"', '""')}"\n`],
    ['a Windows login stands in CSV', 'DOM\\unt', 'a,DOM\\unt,b\n'],
    ['a number is one of JSON', '123456', '{"user_id":123456}'],
    ['a number of one digit is one of JSON', '7', '{"n":[1,7]}'],
    ['a device is one of Mixpanel', 'dev-a', '{"distinct_id":"$device:dev-a"}'],
    ['a byte order mark stands before it', 'ada', '\ufeffada,1\n'],
    ['a line ends within it', 'ada\nx', '1,"ada\nx",2\n'],
  ])('an id is found: %s', async (_, id, text) => {
    expect(new WantedIds([id]).isIn(text)).toBe(true);
    expect(await new WantedIds([id]).isInAny(pieces(text, [1, 8, 11]))).toBe(true);
    expect(new WantedIds([`${id}x`, `x${id}`]).isIn(text)).toBe(false);
  });

  test.each([
    ['windows-1252', 'Zo\u00eb', Buffer.from('1;Zo\xeb;2\n', 'latin1')],
    ['windows-1251', '\u0410\u0434\u0430', Buffer.from('1;\xc0\xe4\xe0;2\n', 'latin1')],
    ['shift_jis', '\u8868', Buffer.from('1;\x95\x5c;2\n', 'latin1')],
    ['gb18030', '\u4e2d', Buffer.from('1;\xd6\xd0;2\n', 'latin1')],
    ['UTF-8, beside bytes that are not', 'Zo\u00eb', Buffer.from('1;Zo\xc3\xab;\xff\n', 'latin1')],
  ])('an id is found in %s', async (_, id, bytes) => {
    expect(await new WantedIds([id]).isInAny(pieces(bytes, []))).toBe(true);
    expect(await new WantedIds([`${id}x`, 'Zoe']).isInAny(pieces(bytes, []))).toBe(false);
  });

  test('an id is found wherever it stands in a long file, with lines or without', async () => {
    const filler = '"user-12","user-13"'.repeat(8);
    for (const end of ['\n', ',']) {
      const wanted = new WantedIds(['Zo\u00eb']);
      const lines = Array.from({ length: 16_000 }, () => filler);
      expect(await wanted.isInAny(pieces(lines.join(end), [70_000, 200_000, 3_000_000]))).toBe(false);
      for (const at of [433, 15_999]) {
        const text = lines.with(at, '{"id":"Zo\\u00eb"}').join(end);
        const cuts = Array.from({ length: 80 }, (__, index) => index * 65_536);
        expect(await wanted.isInAny(pieces(text, cuts)), `${at}`).toBe(true);
      }
    }
  });

  test('an id is found where its text ends within it', () => {
    const wanted = new WantedIds(['Zo\u00eb-of-the-files']);
    for (const text of ['{"user_id":"Zo', '{"user_id":"Zo\\u00', '{"user_id":"Zo\\u00eb-of', '{"user_id":"Zo\u00eb-']) {
      expect(wanted.isIn(text, true), text).toBe(true);
      expect(wanted.isIn(text), text).toBe(false);
    }
    expect(wanted.isIn('{"user_id":"xZo', true)).toBe(false);
  });
});
