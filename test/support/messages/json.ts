import * as fc from 'fast-check';

const digits = (maxLength: number) =>
  fc
    .string({ unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'), minLength: 1, maxLength })
    .map((text) => text.replace(/^0+(?=\d)/, ''));

/** Any JSON number as text: beyond 64 bits, beyond a double, in any notation. */
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      digits(3),
      digits(25),
      fc.constantFrom('9223372036854775807', '9223372036854775808', '18446744073709551615'),
    ),
    fc.option(digits(25), { nil: undefined }),
    fc.option(fc.integer({ min: -450, max: 450 }), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent === undefined ? '' : `e${exponent}`].join(''),
  );

const string = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('2026-01-01', '2026-01-01T00:00:00Z', '1.5', 'true', 'null', '1e400', '\\', '"', '\\N', '%2E'),
);

const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('a', 'b', '.', '%', '2', 'E', '5', '`', '[', ']'), maxLength: 6 }),
  fc.constantFrom('', '.', 'a', 'a.b', 'a%2Eb', 'a%252Eb', '__proto__', 'constructor', 'toString', '^a', 'a:Int64'),
);

const { value } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    string.map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    tie('object'),
    tie('list'),
  ),
  object: objectOf(tie('value')),
  list: fc.array(tie('value'), { maxLength: 5 }).map((members) => `[${members.join(',')}]`),
}));

function objectOf(member: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(key, member), { maxLength: 6 })
    .map((members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
}

/** The text of any JSON object. The door may refuse it: for a NUL, a lone surrogate, too many digits. */
export const jsonObject: fc.Arbitrary<string> = objectOf(value);
