import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBody, splitObject, toJsonText } from '../../services/messages/json.ts';

const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 1, maxLength });
const wholePart = fc.oneof(
  fc.constant('0'),
  fc.tuple(fc.constantFrom(...DIGITS.slice(1)), digits(30)).map((parts) => parts.join('')),
);
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    wholePart,
    fc.oneof(
      fc.constant(''),
      digits(30).map((fraction) => `.${fraction}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -400, max: 400 }).map((e) => `e${e}`),
      fc.nat(400).map((e) => `E+${e}`),
    ),
  )
  .map((parts) => parts.join(''));

const space = fc.constantFrom('', ' ', '\n', '\t ');
const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', '', 'a.b', '1', 'constructor', ':1e5'),
);
const withoutNul = (text: string) => !text.includes('\0');

/** JSON text of any shape. */
const { json: jsonText } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    numberText,
    fc
      .string({ unit: 'binary' })
      .filter(withoutNul)
      .map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', 'false', '{}', '[]', '"12345678901234567890"', '",1e5"'),
    fc
      .tuple(space, fc.array(tie('json'), { maxLength: 4 }))
      .map(([s, items]) => `[${s}${items.join(`${s},${s}`)}${s}]`),
    fc
      .tuple(
        space,
        fc.uniqueArray(fc.tuple(key.filter(withoutNul), tie('json')), { selector: ([name]) => name, maxLength: 4 }),
      )
      .map(
        ([s, members]) =>
          `{${members.map(([name, value]) => `${s}${JSON.stringify(name)}${s}:${s}${value}`).join(',')}}`,
      ),
  ),
}));

/** The value with each number as its exact decimal: an integer and a power of ten. */
function decimals(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' ? { decimal: decimalOf(source ?? '') } : value,
  );
}

function decimalOf(source: string): string {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let integer = BigInt((whole + fraction).replace('-', ''));
  let power = Number(exponent) - fraction.length;
  if (integer === 0n) return '0';
  for (; integer % 10n === 0n; integer /= 10n) power++;
  return `${source.startsWith('-') ? '-' : ''}${integer} ${power}`;
}

test('what comes out is what came in, digit for digit and key for key', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const body = parseBody(text);

      expect(body.ok).toBe(true);
      expect(body.ok && decimals(toJsonText(body.value.exact))).toEqual(decimals(text));
    }),
    { numRuns: 1000 },
  );
});

test('plain and exact have one shape', () => {
  const shapeOf = (text: string): unknown => JSON.parse(text, (_key, value) => (typeof value === 'number' ? 0 : value));

  fc.assert(
    fc.property(jsonText, (text) => {
      const body = parseBody(text);

      expect(body.ok && body.value.plain).toEqual(JSON.parse(text));
      expect(body.ok && shapeOf(toJsonText(body.value.exact))).toEqual(shapeOf(text));
    }),
  );
});

test('an object is the sum of its members', () => {
  const objectText = fc
    .uniqueArray(fc.tuple(key.filter(withoutNul), jsonText), { selector: ([name]) => name })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`);

  fc.assert(
    fc.property(objectText, (text) => {
      const members = [...splitObject(text)];

      const joined = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
      expect(decimals(joined)).toEqual(decimals(text));
    }),
  );
});
