import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { MATCHES } from '../../../services/questions/operators/pattern.ts';
import { foldedSql } from '../../../services/questions/definition/value.ts';
import { ask } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { Params } from '../../../services/questions/sql/params.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const ATOMS = [
  'a',
  'K',
  'ſ',
  'é',
  'ß',
  'Σ',
  '😀',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\b',
  '^',
  '$',
  '\\A',
  '\\z',
  '[a-c]',
  '[^a]',
].concat([
  '[[:alpha:]]',
  '\\pL',
  '\\p{Lu}',
  '\\p{Greek}',
  '\\x{1F600}',
  '\\n',
  '\\.',
  '\\Q.*é\\E',
  '[é-ü]',
  '[k-s]',
  '()',
  '[]a]',
  '\\W',
]);
const TIMES = ['', '', '', '*', '+', '?', '*?', '{2}', '{0}', '{1,2}'];
const OPENINGS = ['(', '(?:', '(?i:', '(?-s:', '(?m:', '(?P<n>'];
const PARTS = [
  'a',
  'A',
  'k',
  'K',
  '\u212A',
  's',
  'ſ',
  'é',
  'É',
  'ß',
  'ẞ',
  'σ',
  'ς',
  'Σ',
  '😀',
  '\n',
  '.',
  '*',
  '1',
  '٣',
  ' ',
  '_',
  'İ',
  'ı',
  'I',
];

const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc
    .array(
      fc.oneof(
        { maxDepth: 2 },
        {
          weight: 4,
          arbitrary: fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...TIMES)).map((both) => both.join('')),
        },
        fc.tuple(tie('pattern'), tie('pattern')).map((both) => both.join('|')),
        fc
          .tuple(fc.constantFrom(...OPENINGS), tie('pattern'), fc.constantFrom(...TIMES))
          .map(([opening, inner, times]) => `${opening}${inner})${times}`),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join('')),
}));
const texts = fc.array(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }).map((parts) => parts.join('')),
  { minLength: 20, maxLength: 20 },
);

describe.each(await testedAnalytics())('text in $name', (tested) => {
  const store = sharedStore(tested);

  test('a pattern matches in memory what it matches in ClickHouse, and none is accepted that ClickHouse refuses', async () => {
    await fc.assert(
      fc.asyncProperty(pattern, texts, fc.boolean(), async (matches, values, ignoresCase) => {
        const read = readDefinition({ trait: 'a', matches, ignore_case: ignoresCase }, { timezone: 'UTC' });
        const [wanted] = read.ok && read.definition.kind === 'trait' ? read.definition.tests : [];
        if (wanted?.test !== 'matches') return;
        const at = { location: 'trait', now: 0n } as const;

        const found = await inClickHouse(values, (params, value) =>
          MATCHES.sql({ params, projectId: 'p', now: 0n }, { string: () => value } as never, wanted),
        );

        const inMemory = values.map((value) => MATCHES.passes(value, wanted, at));
        expect([matches, values, found]).toEqual([matches, values, inMemory]);
      }),
      propertyRun(150 * tested.share),
    );
  }, 240_000);

  test('lower case is the same in memory as in ClickHouse, for every letter that has two cases', async () => {
    const all = Array.from({ length: 0x11_00_00 }, (_, code) => code)
      .filter((code) => code > 0 && (code < 0xd8_00 || code > 0xdf_ff))
      .map((code) => String.fromCodePoint(code))
      .filter((char) => char.toLowerCase() !== char || char.toUpperCase() !== char);
    const words = [...all, 'ΑΣ', 'ΑΣ Β', 'ΣΑ', 'İx', 'I\u0307'];

    const [row] = await ask<{ lower: string[] }>(
      store(),
      `SELECT arrayMap(word -> ${foldedSql('word', { ignoresCase: true })}, {words:Array(String)}) AS lower`,
      { words },
    );

    expect(row?.lower).toEqual(words.map((word) => word.toLowerCase()));
  });

  async function inClickHouse(
    values: readonly string[],
    condition: (params: Params, value: string) => string,
  ): Promise<readonly boolean[]> {
    const params = new Params();
    const sql = `SELECT arrayMap(value -> ${condition(params, 'value')}, ${params.strings(values)}) AS found`;
    const [row] = await ask<{ found: unknown[] }>(store(), sql, params.values());
    return row?.found.map(Boolean) ?? [];
  }
});
