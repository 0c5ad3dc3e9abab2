import { describe, expect, test } from 'vitest';
import { foldedSql } from '../../../services/questions/definition/value.ts';
import { ask } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

describe.each(await testedAnalytics())('text in $name', (tested) => {
  const store = sharedStore(tested);

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
});
