import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestDouble, wholeNumberOf } from '../../../services/messages/decimal.ts';
import { writeJson } from '../../../services/stores/analytics/json-column.ts';
import { propertyKinds } from '../../../services/stores/analytics/columns.ts';
import { RowBinary } from '../../../services/stores/analytics/row-binary.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedAnalytics } from '../../support/stores/chdb.ts';

const analytics = sharedAnalytics();

/** What the column has of each of these, all in one insert. */
async function stored(texts: readonly string[]) {
  const maker = new MessageMaker();
  await insert(
    analytics(),
    texts.map((properties, n) => maker.track({ properties, messageId: String(1000 + n) })),
  );
  const rows = await ask<{ value: string; types: object }>(
    analytics(),
    `SELECT toJSONString(properties) AS value, JSONAllPathsWithTypes(properties) AS types FROM events
     WHERE project_id = {p:String} ORDER BY message_id
     SETTINGS output_format_json_quote_64bit_integers = 0, json_type_escape_dots_in_keys = 0`,
    { p: maker.projectId },
  );
  return rows.map(({ value, types }) => [value, Object.values(types).join()]);
}

const [STRINGS, LISTS] = ['Array(Nullable(String))', 'Array(Array(Nullable(String)))'];

describe('the column of properties', () => {
  test('each value has a type of its own, whatever stands beside it', async () => {
    const expected = [
      ['{"a":1}', '{"a":1}', 'Int64'],
      ['{"a":-9223372036854775808}', '{"a":-9223372036854775808}', 'Int64'],
      ['{"a":18446744073709551615}', '{"a":18446744073709551615}', 'UInt64'],
      ['{"a":18446744073709551616}', '{"a":18446744073709552000}', 'Float64'],
      ['{"a":-1e400}', '{"a":-1.7976931348623157e308}', 'Float64'],
      ['{"a":1.0}', '{"a":1}', 'Float64'],
      ['{"a":[1.5]}', '{"a":[1.5]}', 'Array(Nullable(Float64))'],
      ['{"a":[9007199254740993]}', '{"a":[9007199254740993]}', 'Array(Nullable(Int64))'],
      ['{"a":[9007199254740991,1.5]}', '{"a":[9007199254740991,1.5]}', 'Array(Nullable(Float64))'],
      ['{"a":[9007199254740993,1.5]}', '{"a":[9007199254740993,1.5]}', 'Array(Dynamic)'],
      ['{"a":[18446744073709551615,1]}', '{"a":[18446744073709551615,1]}', 'Array(Nullable(UInt64))'],
      ['{"a":[18446744073709551615,-1]}', '{"a":[18446744073709551615,-1]}', 'Array(Dynamic)'],
      ['{"a":[true,null]}', '{"a":[true,null]}', 'Array(Nullable(Bool))'],
      ['{"a":["x",1,null,[1]]}', '{"a":["x",1,null,[]]}', 'Array(Dynamic)'],
      ['{"a":[]}', '{"a":[]}', STRINGS],
      ['{"a":[null]}', '{"a":[null]}', STRINGS],
      ['{"a":[[1],{"b":"]}"}]}', '{"a":[[],[]]}', LISTS],
      ['{"a":{"b":{},"c":null}}', '{}', ''],
      ['{ "a" : { "b" : [ 1 , 2 ] } , "c" : null }', '{"a":{"b":[1,2]}}', 'Array(Nullable(Int64))'],
      ['{"\\u0061":"\\"\\u20ac"}', '{"a":"\\"€"}', 'String'],
      ['{"a%2Eb":"%2E"}', '{"a%252Eb":"%2E"}', 'String'],
    ];

    const texts = expected.map(([text = '']) => text);

    expect(await stored(texts)).toEqual(expected.map(([, value, type]) => [value, type]));
  });

  test('a list that has brackets and quotes in a string is flattened like any other', async () => {
    const strings = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ','), maxLength: 3 });
    const nested = fc.oneof(fc.array(strings, { maxLength: 3 }), fc.record({ '}]': strings }));
    const lists = fc.array(fc.array(fc.oneof(strings, nested), { maxLength: 4 }), { minLength: 20, maxLength: 40 });

    await fc.assert(
      fc.asyncProperty(lists, async (values) => {
        const flat = values.map((list) => list.map((member) => (typeof member === 'object' ? [] : member)));

        const found = await stored(values.map((list) => JSON.stringify({ list })));

        expect(found.map(([value = '']) => (JSON.parse(value) as { list: unknown }).list)).toEqual(flat);
      }),
      { numRuns: 10 },
    );
  });

  test('numbers keep their double, whatever their notation', async () => {
    const doubles = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 100);
    const notations = doubles.flatMap((one) => [
      String(one),
      one.toExponential(),
      one.toFixed(fc.sample(fc.nat(20), 1)[0]),
    ]);

    const found = await stored(notations.map((notation) => `{"a":${notation}}`));

    // The column knows no -0.
    const read = found.map(([value = '']) => (JSON.parse(value) as { a: number }).a + 0);
    expect(read).toEqual(notations.map((notation) => Number(notation) + 0));
  });

  test('strings of 500 KB full of escapes are no trouble', async () => {
    const text = `{"a":${JSON.stringify('\\"'.repeat(120_000))}}`;

    expect(await stored([text])).toEqual([[text, 'String']]);
  });

  test.each(
    [
      '',
      'null',
      '[]',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1}}',
      '{"a":x}',
      '{"a":tru}',
      '{"a":-}',
      '{"a":1.2.3}',
    ].concat([
      '{"a":[1}',
      '{"a":[[1}',
      '{"a":[["]}',
      '{"a" 1}',
      '{a:1}',
      '{"a":"b}',
      '{"a":"\\x"}',
      '{"a":1,}',
      '{"a":1-2}',
    ]),
  )('%s is undecodable', (text) => {
    expect(() => writeJson(new RowBinary(), text)).toThrow(expect.objectContaining({ code: 'MESSAGE_UNDECODABLE' }));
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
    expect(propertyKinds('{"b":1,"a":"x"}')).toBeUndefined();
    expect(propertyKinds('{"b":-1e400,"a":"x","c":false,"d":true,"e":null,"f":[1],"g":{}}')).toBe(
      ['[f', 'db', 'ne', 'sa', 'tc', 'td', '{g'].join('\0'),
    );
  });
});
