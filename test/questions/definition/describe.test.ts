import { describe as group, expect, test } from 'vitest';
import { describeLines } from '../../../services/questions/definition/describe.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { parseBody } from '../../../services/messages/json.ts';

const AUDIENCES = new Map([['aud_1', { name: 'Recent', definition: { event: 'E' } }]]);

function linesOf(text: string, timezone = 'UTC'): string {
  const parsed = parseBody(text);
  const read = parsed.ok ? readDefinition(parsed.value.exact, { timezone, audiences: AUDIENCES }) : parsed;
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return describeLines(read.definition);
}

group('a definition in English', () => {
  test.each([
    ['{"trait":"plan","is":"pro"}', 'whose "plan" is "pro"'],
    [
      '{"trait":["address","city"],"in":["Bonn","Ulm","Jena"]}',
      'whose "address" → "city" is one of "Bonn", "Ulm" or "Jena"',
    ],
    ['{"trait":"plan","in":["pro"]}', 'whose "plan" is one of "pro"'],
    ['{"trait":"age","gte":18,"lt":65.5}', 'whose "age" is at least 18 and is less than 65.5'],
    ['{"trait":"code","is":"20"}', 'whose "code" is "20"'],
    ['{"trait":"email","exists":true}', 'who have a "email"'],
    ['{"trait":"email","exists":false}', 'who have no "email"'],
    ['{"trait":"email","exists":true,"starts_with":"a"}', 'whose "email" is there and begins with "a"'],
    ['{"event":"Signed In"}', 'who did "Signed In"'],
    ['{"event":"E","count":{"at_most":0},"within":{"last":"1w"}}', 'who did not do "E" in the last 7 days'],
    ['{"event":"E","count":{"exactly":1}}', 'who did "E" exactly once'],
    ['{"event":"E","count":{"at_least":1,"at_most":1}}', 'who did "E" exactly once'],
    ['{"event":"E","count":{"at_most":1}}', 'who did "E" at most once'],
    ['{"event":"E","count":{"at_least":3}}', 'who did "E" at least 3 times'],
    ['{"event":"E","count":{"at_least":2,"at_most":4}}', 'who did "E" between 2 and 4 times'],
    [
      '{"event":"E","where":[{"property":"total","gt":1234567890123456789},{"property":"tag","contains":"x"}]}',
      'who did "E" where "total" is more than 1234567890123456789 and "tag" contains "x"',
    ],
    ['{"event":"E","last":{"before":"7d"}}', 'who did "E", the last time before 7 days ago'],
    ['{"event":"E","first":{"since":"1h"}}', 'who did "E", the first time ever since 1 hour ago'],
    [
      '{"event":"E","within":{"between":["2026-11-01","2026-11-20T12:30:10.5Z"]}}',
      'who did "E" from 2026-11-01 until 2026-11-20T12:30:10.5Z',
    ],
    ['{"event":["A","B"],"count":{"at_most":0}}', 'who did not do "A" or "B"'],
    ['{"event":{"any":true},"within":{"last":"30d"}}', 'who did anything in the last 30 days'],
    [
      '{"event":"E","within":{"last":"30d"},"first":{"last":"7d"}}',
      'who did "E" in the last 30 days, the first time in the last 7 days',
    ],
    ['{"trait":"up","date":{"last":"90d"}}', 'whose "up" is a date in the last 90 days'],
    [
      '{"trait":"ends","date":{"next":"1d","epoch":"seconds"}}',
      'whose "ends" is a date in the next 1 day (seconds since 1970)',
    ],
    [
      '{"trait":"ends","date":{"between":["1h","+7d"]}}',
      'whose "ends" is a date from 1 hour ago until 7 days from now',
    ],
    ['{"trait":"born","date":{"anniversary":"today"}}', 'whose "born" has its anniversary today'],
    [
      '{"trait":"email","ends_with":".de","matches":"^a","ignore_case":true}',
      'whose "email" ends with ".de" (ignoring case) and matches "^a" (ignoring case)',
    ],
    [
      '{"event":"E","where":[{"property":"items","has":[{"property":"sku","is":"a"},{"property":["p","eur"],"gt":1}]}]}',
      'who did "E" where "items" has an object (whose "sku" is "a" and "p" → "eur" is more than 1)',
    ],
    [
      '{"not":{"sample":{"percent":12.5,"seed":"spring"}}}',
      'not those who are in the sample of 12.5 % by the seed "spring"',
    ],
    [
      '{"event":"A","not_followed_by":{"event":{"any":true},"within":"7d"}}',
      'who did "A", not followed by anything within 7 days',
    ],
    [
      '{"event":"A","followed_by":{"event":"B","within":"1d","followed_by":{"event":"C","within":"12h"}}}',
      'who did "A", followed by "B" within 1 day, then by "C" within 12 hours',
    ],
    ['{"not":{"audience":"aud_1"}}', 'not those who are in the audience "Recent"'],
    ['{"not":{"trait":"a","is":true}}', 'not those whose "a" is true'],
    ['{"not":{"not":{"event":"E"}}}', 'not this:\n  not those who did "E"'],
    ['{"trait":"line\\nbreak","is_not":"\\"x\\""}', String.raw`whose "line\nbreak" is not "\"x\""`],
  ])('%s is %s', (definition, description) => {
    expect(linesOf(definition)).toBe(description);
  });

  test('each condition has a line of its own, two spaces further in than its group', () => {
    const definition = '{"all":[{"trait":"a","is":1},{"not":{"any":[{"event":"E"},{"not":{"all":[{"event":"F"}]}}]}}]}';

    expect(linesOf(definition).split('\n')).toEqual([
      'all of these:',
      '  whose "a" is 1',
      '  none of these:',
      '    who did "E"',
      '    not all of these:',
      '      who did "F"',
    ]);
  });

  test('a day of another time zone is the instant at which it begins', () => {
    const definition = '{"event":"E","within":{"since":"2026-11-01"}}';

    expect(linesOf(definition, 'Europe/Berlin')).toBe('who did "E" since 2026-10-31T23:00:00Z');
  });
});
