import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBody, toJsonText } from '../../services/messages/json.ts';
import { parseJson } from '../../services/messages/parse-json.ts';

const ESCAPES = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0041', '\\u0022', '\\u005c', '\\u00e9'];

/** What a key that is written so says: a string by itself is read right. */
function said(escape: string): string {
  return JSON.parse(`"${escape}"`) as string;
}

describe('a key that is written with an escape', () => {
  test.each(ESCAPES)('%s is read as what it says, whatever was parsed before', (escape) => {
    for (let times = 0; times < 5; times++) parseJson('{"k":1,"\\\\":2}');

    expect(Object.keys(parseJson(`{"k":1,"${escape}":3}`) as object)).toEqual(['k', said(escape)]);
  });

  test.each([
    ['q\\\\', 'q\\"'],
    ['a\\\\n', 'a\\nb'],
    ['a\\\\u0', 'a\\u0041bc'],
  ])('%s does not give its name to %s', (one, other) => {
    for (let times = 0; times < 5; times++) parseJson(`{"k":1,"${one}":2}`);

    expect(Object.keys(parseJson(`{"k":1,"${other}":3}`) as object)).toEqual(['k', said(other)]);
  });

  test('an escaped key keeps its name in a body after another body had a backslash for a key', () => {
    for (let times = 0; times < 5; times++) parseBody('{"":"","\\\\":""}');
    const parsed = parseBody('{"":"","\\"":""}');

    expect(parsed.ok && toJsonText(parsed.value.exact)).toBe('{"":"","\\"":""}');
  });

  test('an escaped key keeps its name beside a number that no double holds', () => {
    for (let times = 0; times < 5; times++) parseBody('{"":"","\\\\":9007199254740993}');
    const parsed = parseBody('{"":"","\\n":9007199254740993}');

    expect(parsed.ok && toJsonText(parsed.value.exact)).toBe('{"":"","\\n":9007199254740993}');
  });
});

describe('any JSON', () => {
  const key = fc.oneof(
    fc.constantFrom(...ESCAPES.map(said), '', 'a', '__proto__', '\\n', '"":', 'a"b'),
    fc.string({ maxLength: 3 }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, true, 0, '\\', '"\\n":'), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  }));

  test('any JSON is written as it was read, in the same order', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (given, indent) => {
        const text = JSON.stringify(given, null, indent);

        expect(JSON.stringify(parseJson(text), null, indent)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['{"\\"":1', '{"\\n":}', '{"\\n" 1}', '"\\n":', '{"\\n":1}x', '{"\\x":1}', '{"\\u00":1}', '{"\\'])(
    '%s is refused as JSON.parse refuses it',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test.each([
    ['{"\\n":1,"a":2,"\\u000a":3}', '{"\\n":3,"a":2}'],
    ['{"a":1,"\\u0061":2,"a":3}', '{"a":3}'],
    ['{"\\u0061":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['{"a":1,"b":2,"\\u0061":3}', '{"a":3,"b":2}'],
    ['{"":1,"\\n":2,"":3}', '{"":3,"\\n":2}'],
  ])('%s: of a key given twice, the last counts, in the place of the first', (text, read) => {
    expect(JSON.stringify(parseJson(text))).toBe(read);
  });
});
