import { describe, expect, test } from 'vitest';
import { parseJson } from '../../console/src/api/json.ts';
import { linesOf, summaryOf, textOf, wordsAt } from '../../console/src/parts/conditions/sentence.ts';

const summary = (definition: string): string => textOf(summaryOf(parseJson(definition)));

describe('a definition in words', () => {
  test.each([
    ['{"trait":"plan","is":"pro"}', 'whose plan is pro'],
    ['{"trait":["address","city"],"in":["Bonn","Ulm","Jena"]}', 'whose address → city is one of Bonn, Ulm or Jena'],
    ['{"trait":"age","gte":18,"lt":65.50}', 'whose age is at least 18 and is less than 65.50'],
    ['{"trait":"code","is":"20"}', 'whose code is “20”'],
    ['{"trait":"email","exists":false}', 'who have no email'],
    ['{"event":"Signed In"}', 'who did Signed In'],
    [
      '{"event":"Signed In","count":{"at_most":0},"within":{"last":"1w"}}',
      'who did not do Signed In in the last 1 week',
    ],
    ['{"event":"E","count":{"exactly":1}}', 'who did E exactly once'],
    ['{"event":"E","count":{"at_least":2,"at_most":4}}', 'who did E between 2 and 4 times'],
    [
      '{"event":"E","where":[{"property":"total","gt":12345678901234567890},{"property":"tag","contains":"x"}]}',
      'who did E where total is more than 12345678901234567890 and tag contains x',
    ],
    ['{"event":"E","last":{"before":"7d"}}', 'who did E, the last time before 7 days ago'],
    ['{"event":"E","within":{"between":["2026-11-01","2026-11-20"]}}', 'who did E from 2026-11-01 until 2026-11-20'],
    ['{"not":{"trait":"a","is":1}}', 'not those whose a is 1'],
    [
      '{"all":[{"trait":"a","is":1},{"any":[{"trait":"b","is":2},{"event":"E"}]}]}',
      'whose a is 1, and (whose b is 2, or who did E)',
    ],
    ['{"not":{"any":[{"trait":"a","is":1},{"event":"E"}]}}', 'not (whose a is 1, or who did E)'],
    ['{"not":{"not":{"event":"E"}}}', 'not not those who did E'],
    ['{"something":"new"}', '{"something":"new"}'],
  ])('%s is "%s"', (definition, words) => {
    expect(summary(definition)).toBe(words);
  });

  test('each condition has a line of its own, indented below its group', () => {
    const definition = '{"all":[{"trait":"a","is":1},{"not":{"any":[{"event":"E"},{"event":"F"}]}}]}';

    const lines = linesOf(parseJson(definition)).map(({ depth, words }) => '  '.repeat(depth) + textOf(words));

    expect(lines).toEqual(['all of these', '  whose a is 1', '  none of these', '    who did E', '    who did F']);
  });

  test('a pointer finds the words of one part, without those below it', () => {
    const definition = parseJson('{"all":[{"not":{"trait":"a","is":1}}]}');

    expect(textOf(wordsAt(definition, '/all/0'))).toBe('not this');
    expect(textOf(wordsAt(definition, '/all/0/not'))).toBe('whose a is 1');
    expect(wordsAt(definition, '/any/7')).toEqual([]);
  });
});
