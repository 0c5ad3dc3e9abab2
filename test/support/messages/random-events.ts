/** What a definition says of events beside their names. Texts of JSON. */
import * as fc from 'fast-check';

export const count = fc.oneof(
  fc.nat(3).map((times) => `{"at_least":${times}}`),
  fc.nat(3).map((times) => `{"at_most":${times}}`),
  fc.nat(3).map((times) => `{"exactly":${times}}`),
  fc.tuple(fc.nat(2), fc.nat(2)).map(([least, more]) => `{"at_least":${least},"at_most":${least + more}}`),
);

/** A number of the values under a path. A few are refused: of what was never done, or of the first or the last alone. */
export function measureOf(path: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const bound = fc.tuple(
    fc.constantFrom('is', 'is_not', 'gt', 'gte', 'lt', 'lte'),
    fc.constantFrom(
      '0',
      '1',
      '2',
      '1.5',
      '0.3',
      '0.75',
      '-1',
      '51.6',
      '9007199254740993',
      '18446744073709551616',
      '1e35',
    ),
  );
  return fc
    .tuple(
      fc.constantFrom('sum', 'average', 'min', 'max', 'distinct'),
      path,
      fc.array(bound, { minLength: 1, maxLength: 2 }),
    )
    .map(([of, at, bounds]) => objectOf([[of, at], ...new Map(bounds)]));
}

/** A later event, and which of the earlier ones it (not) follows. A few are refused: a count of the first or the last. */
export function sequenceMembers(
  /** JSON text. */
  event: fc.Arbitrary<string>,
  where: fc.Arbitrary<string>,
): fc.Arbitrary<[string, string][]> {
  const within = fc.constantFrom('"1h"', '"23h"', '"1d"', '"30d"', '"60w"').map((text) => ['within', text] as const);
  const step = fc
    .tuple(event, fc.option(where, { freq: 2, nil: null }), within)
    .map(([name, given, time]) => [
      ['event', name] as const,
      ...(given === null ? [] : [['where', given] as const]),
      time,
    ]);
  const chain = fc
    .array(step, { minLength: 1, maxLength: 4 })
    .map((steps) =>
      steps.reduceRight(
        (next, one) => objectOf([...one, ...(next === '' ? [] : [['followed_by', next] as const])]),
        '',
      ),
    );
  const later = fc.oneof(
    { weight: 2, arbitrary: fc.tuple(fc.constant('followed_by'), chain) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom('followed_by', 'not_followed_by'), step.map(objectOf)) },
  );
  return fc
    .tuple(later, fc.constantFrom(null, '"any"', '"first"', '"last"'))
    .map(([member, which]) => [member, ...(which === null ? [] : ([['which', which]] as [string, string][]))]);
}

/** The text of a JSON object with these members. */
export function objectOf(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, of]) => `${JSON.stringify(name)}:${of}`).join(',')}}`;
}
