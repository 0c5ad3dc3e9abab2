import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeNumberOf } from '../../../services/messages/decimal.ts';
import { columnJson, columnKinds, nearestDouble } from '../../../services/stores/analytics/column-json.ts';

describe('columnJson', () => {
  test.each([
    ['{}', '{}'],
    ['{"a":9223372036854775807,"b":-9223372036854775808}', '{"a":9223372036854775807,"b":-9223372036854775808}'],
    ['{"a":18446744073709551615}', '{"a":18446744073709551615}'],
    ['{"a":18446744073709551616}', '{"a":1.8446744073709552e+19}'],
    ['{"a":-9223372036854775809}', '{"a":-9.223372036854776e+18}'],
    ['{"a":[1e400,-1e400,1e-400]}', '{"a":[1.7976931348623157e+308,-1.7976931348623157e+308,0e+0]}'],
    ['{"12345678901234567890":"12345678901234567890"}', '{"12345678901234567890":"12345678901234567890"}'],
    ['{"a":"\\"1e400","b":1e400}', '{"a":"\\"1e400","b":1.7976931348623157e+308}'],
    ['{"a%2Eb":"%2E","%25":1}', '{"a%252Eb":"%2E","%2525":1}'],
    ['{"\\u0061\\u00252E":1}', '{"a%252E":1}'],
    ['{"a":[{"b":[1]},2,[[]],"]["]}', '{"a":[[],2,[],"]["]}'],
    ['{"a":{"b":[{}],"c":{"d":[[1],{"e":2}]}}}', '{"a":{"b":[[]],"c":{"d":[[],[]]}}}'],
    ['{"a":[["\\"]",{"b":"}"}]],"b":"[[","c":[1]}', '{"a":[[]],"b":"[[","c":[1]}'],
    ['{"a":[[1e400]],"b":1e400}', '{"a":[[]],"b":1.7976931348623157e+308}'],
  ])('%s goes in as %s', (text, column) => {
    expect(columnJson(text)).toBe(column);
  });

  test('what needs no change is the very same text', () => {
    const text = '{"total":12.50,"at":"2026-01-01","k":[1e10,"[{"],"l":{"m":[]},"😀":"50% off"}';

    expect(columnJson(text)).toBe(text);
  });

  test('strings of 500 KB full of escapes are no trouble', () => {
    const text = `{"a":${JSON.stringify('\\"'.repeat(120_000))},"b":1e400}`;

    expect(JSON.parse(columnJson(text))).toEqual({ ...(JSON.parse(text) as object), b: Number.MAX_VALUE });
  });

  test('numbers keep their double, whatever their notation', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 0, max: 100 }),
        (number, digits) => {
          const notations = [String(number), number.toExponential(), number.toFixed(digits)];
          for (const notation of notations) {
            // The column knows no -0.
            const [read] = JSON.parse(columnJson(`[${notation}]`)) as [number];
            expect(read + 0).toBe(Number(notation) + 0);
          }
        },
      ),
    );
  });
});

describe('a list that holds brackets in a string', () => {
  test('a list that has brackets in a string is flattened like any other', () => {
    expect(columnJson('{"a":["]",{"b":1}]}')).toBe('{"a":["]",[]]}');
    expect(columnJson('{"a":["]\\"]",[1],"{"]}')).toBe('{"a":["]\\"]",[],"{"]}');
  });

  test('flattening gives what a JSON parser would give, whatever the strings', () => {
    const strings = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ','), maxLength: 2 });
    // Without an escape: V8 13.6 reads some escaped keys as others once it has read a key that ends in a backslash
    // (nodejs/node#63785).
    const keys = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', ','), maxLength: 2 });
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        strings,
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(keys, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    const flat = (one: unknown): unknown => {
      if (Array.isArray(one)) return one.map((member) => (typeof member === 'object' ? [] : (member as unknown)));
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, flat(member)]));
    };

    fc.assert(
      fc.property(value, (one) => {
        expect(JSON.parse(columnJson(JSON.stringify({ one })))).toEqual(flat({ one }));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('nearestDouble', () => {
  test.each([
    ['1', 1],
    ['-0', 0],
    ['1e999', 1.7976931348623157e308],
    ['-1e999', -1.7976931348623157e308],
    ['0.1000000000000000055', 0.1],
  ])('%s is %s', (number, double) => {
    expect(nearestDouble(number)).toBe(double);
  });
});

describe('wholeNumberOf', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['0e999', 0n],
    ['1e3', 1000n],
    ['1.50e1', 15n],
    ['-1.0', -1n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['18446744073709551615', 18_446_744_073_709_551_615n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['1000e-3', 1n],
    ['18446744073709551616', null],
    ['-9223372036854775809', null],
    ['1.5', null],
    ['1e-1', null],
    ['1e999999999', null],
    ['0.1', null],
  ])('%s is %s', (number, value) => {
    expect(wholeNumberOf(number)).toBe(value);
  });
});

describe('the kinds of properties', () => {
  test('the kinds of properties are left to the table, unless a number may be beyond what ClickHouse reads', () => {
    expect(columnKinds('{"b":1,"a":"x"}')).toBeUndefined();
    expect(columnKinds('{"b":-1e400,"a":"x","c":false,"d":true,"e":null,"f":[1],"g":{}}')).toBe(
      ['[f', 'db', 'ne', 'sa', 'tc', 'td', '{g'].join('\0'),
    );
  });
});
