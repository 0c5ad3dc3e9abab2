/** Patterns of RE2. ClickHouse alone compiles them and says what they match, in linear time, also for the questions in memory. */
import { MAX_STEPS } from '../definition/limits.ts';
import { orFalse } from '../definition/value.ts';
import type { Reading } from '../definition/reading.ts';
import type { Params } from '../sql/params.ts';
import { describeConstant, describeOptions } from './constant.ts';
import type { Operator, TestOf } from './operator.ts';
import { stepsOf } from './pattern-size.ts';

export const MATCHES: Operator<TestOf<'matches'>> = {
  read: readPattern,
  describe: (test) => `matches ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => matchSql(params, value.string(), test),
  passes: (value, test, { matched }) => typeof value === 'string' && matched?.get(test)?.has(value) === true,
};

/** The condition that a string, or NULL, matches. */
export function matchSql(params: Params, string: string, test: TestOf<'matches'>): string {
  return orFalse(`match(${string}, ${params.string(re2Text(test))})`);
}

function readPattern(reading: Reading, value: unknown, path: string): TestOf<'matches'> | undefined {
  const text = reading.text(value, path);
  if (text === undefined) return undefined;
  const test = { test: 'matches', value: text } as const;
  const reason = reading.isSaved ? undefined : reasonAgainst(reading, test);
  return reason === undefined ? test : reading.refuse(path, reason);
}

function reasonAgainst({ rejectedPatterns }: Reading, test: TestOf<'matches'>): string | undefined {
  if (stepsOf(test.value) > MAX_STEPS) return 'is too large a pattern';
  // ClickHouse takes it for a letter.
  if (/^(?:[^\\]|\\[^])*\\$/.test(re2Text(test))) return 'is not a pattern of RE2: a backslash at its end';
  return rejectedPatterns.get(test.value);
}

/** As it is given to ClickHouse: letters of other scripts are escaped, since it takes one of them before ? for bytes. */
export function re2Text({ value, ignoresCase }: TestOf<'matches'>): string {
  const pattern = Array.from(withoutQuotes(value), escapedLetter).join('');
  return ignoresCase === true ? `(?i)${pattern}` : pattern;
}

/** `\Q…\E` character by character. */
function withoutQuotes(pattern: string): string {
  return pattern.replaceAll(/\\Q(.*?)(?:\\E|$)|\\[^Q]/gsu, (whole, quoted?: string) =>
    quoted === undefined ? whole : quoted.replaceAll(/[^\w\u0080-\u{10ffff}]/gu, (char) => `\\x{${hex(char)}}`),
  );
}

function escapedLetter(char: string): string {
  return char > '\u007f' ? `\\x{${hex(char)}}` : char;
}

function hex(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16);
}
