import { describe, expect, test } from 'vitest';
import type { HistoryEntry, SavedAudience } from '../../console/src/api/types.ts';
import { parseJson } from '../../console/src/api/json.ts';
import { csvLine } from '../../schemas/csv-line.ts';
import {
  changedLines,
  changeOfDay,
  refreshText,
  seriesOf,
  stateOf,
} from '../../console/src/screens/audiences/state.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');

function audience(members: object): SavedAudience {
  const evaluation = { at: '2026-11-24T11:00:00Z', version: 1, members: 3 };
  return parseJson(
    JSON.stringify({ version: 1, evaluation, failure: null, refresh: '1h', ...members }),
  ) as unknown as SavedAudience;
}

/** Newest first. */
function history(...entries: readonly (readonly [at: string, count: number])[]): readonly HistoryEntry[] {
  return parseJson(JSON.stringify(entries.map(([at, count]) => ({ at, count })))) as unknown as HistoryEntry[];
}

describe('how an audience is', () => {
  test.each([
    [{}, 'Up to date'],
    [{ refresh: '15m' }, 'Late'],
    [{ refresh: null }, 'Counted'],
    [{ evaluation: null, refresh: null }, 'Not counted'],
    [{ evaluation: null }, 'Counting…'],
    [{ version: 2 }, 'Counting the new definition…'],
    [{ version: 2, refresh: null }, 'Changed since'],
    [{ version: 2, failure: 'QUERY_LIMIT' }, 'Failing'],
    [{ failure: 'QUERY_LIMIT' }, 'Failing'],
    [{ failure: 'WAITING_FOR_ANALYTICS' }, 'Waiting for analytics'],
  ])('%j is "%s"', (members, text) => {
    expect(stateOf(audience(members), NOW).text).toBe(text);
  });

  test('a refresh is said in words', () => {
    expect(['1h', '15m', '2w', null].map(refreshText)).toEqual([
      'every hour',
      'every 15 minutes',
      'every 2 weeks',
      'manually',
    ]);
  });

  test('the change of a day is that since the last count before it, and is not known without one', () => {
    const young = history(['2026-11-24T11:00:00Z', 9]);
    const old = history(['2026-11-24T11:00:00Z', 9], ['2026-11-23T11:00:00Z', 4], ['2026-11-22T11:00:00Z', 1]);

    expect([changeOfDay(young, NOW), changeOfDay(old, NOW)]).toEqual([undefined, 5]);
  });

  test('a size stays what it was until the next count, and begins with the first', () => {
    const counts = history(['2026-11-24T10:00:00Z', 7], ['2026-11-24T08:30:00Z', 2]);

    expect(seriesOf(counts, NOW, 3_600_000, 6)).toEqual([2, 7, 7, 7]);
  });
});

test('a changed condition is removed and added, what is beside it stays', () => {
  const before = 'all of these:\n  whose "a" is 1\n  whose "b" is 2';
  const after = 'all of these:\n  whose "a" is 1\n  whose "b" is 3';

  expect(changedLines(after, before).map(({ kind }) => kind)).toEqual(['same', 'same', 'removed', 'added']);
  expect(changedLines(after, undefined).every(({ kind }) => kind === 'same')).toBe(true);
});

test('a line of CSV has no formula in it, and telephone numbers as they are', () => {
  expect(csvLine(['=1+1', '+491234', '-x', 'a "b", c', null, '@me'])).toBe(`'=1+1,+491234,'-x,"a ""b"", c",,'@me`);
});

test.each(['＝1+1', '＋1', '－1', '＠x', ' =1', '\u00a0=1', '\ufeff=1', '=1', '+1-1', '-1e5'])(
  'a cell that begins as a formula has an apostrophe before it: %j',
  (text) => {
    expect(csvLine([text])).toBe(`'${text}`);
  },
);

test.each(['\n=1+1', '\r=1', '\t1'])('a cell that begins with a control character is quoted behind one: %j', (text) => {
  expect(csvLine([text])).toBe(`"'${text}"`);
});

test.each(['x;=1+1', 'x\t=1+1', ';', 'a\nb'])('a cell with what separates cells or lines is quoted: %j', (text) => {
  expect(csvLine([text])).toBe(`"${text}"`);
});

test.each(['-1.5', '+491234567', '3-1', 'a=1', "it's", 'ＡＢＣ', ' a', '2026-03-10', 'Zoë'])(
  'a number or a word stays as it is: %j',
  (text) => {
    expect(csvLine([text])).toBe(text);
  },
);
