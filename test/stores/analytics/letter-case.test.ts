import { describe, expect, test } from 'vitest';
import { foldCase, foldCaseSql, isFoundIn, textSearch } from '../../../services/stores/analytics/letter-case.ts';
import { ask } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const LETTERS = Array.from({ length: 0x11_00_00 }, (_, code) => code)
  .filter((code) => code > 0 && (code < 0xd8_00 || code > 0xdf_ff))
  .map((code) => String.fromCodePoint(code))
  .filter((char) => char.toLowerCase() !== char || char.toUpperCase() !== char);

test('every letter is the same as its upper and its lower case', () => {
  const differing = LETTERS.filter((letter) => {
    const cases = [letter.toUpperCase(), letter.toLowerCase(), letter.toLowerCase().toUpperCase()];
    return cases.some((one) => foldCase(one) !== foldCase(letter));
  });

  expect(differing).toEqual([]);
});

test('a letter is the same wherever in a word it stands, so that a part is found that there is', () => {
  const lost = LETTERS.filter((letter) => {
    const words = ['', ' ', 'ΑΣ', 'ς', 'İ', '\u0301', letter].flatMap((one) => [
      one + letter,
      letter + one,
      `Σ${letter}${one}`,
    ]);
    return words.some(
      (word) => !foldCase(word).includes(foldCase(letter)) || !foldCase(`Α${word}`).endsWith(foldCase(word)),
    );
  });

  expect(lost).toEqual([]);
});

test('a search finds a letter however it is encoded, and in either case', () => {
  const lost = LETTERS.filter((letter) => {
    const forms = [letter.normalize('NFC'), letter.normalize('NFD'), letter.toUpperCase(), letter.toLowerCase()];
    return forms.some((form) => !isFoundIn(`x${form}y`, textSearch(letter)));
  });

  expect(lost).toEqual([]);
});

describe.each(await testedAnalytics())('the case of letters in $name', (tested) => {
  const store = sharedStore(tested);

  test('letters are compared in memory as in ClickHouse, for every letter that has two cases', async () => {
    const words = [...LETTERS, 'ΑΣ', 'ΑΣ Β', 'ΣΑ', 'İx', 'I\u0307', 'STRAẞE', 'ᾳΑ'];

    const [row] = await ask<{ folded: string[] }>(
      store(),
      `SELECT arrayMap(word -> ${foldCaseSql('word')}, {words:Array(String)}) AS folded`,
      { words },
    );

    expect(row?.folded).toEqual(words.map(foldCase));
  });
});
