import { RE2JS } from 're2js';
import { orFalse } from '../definition/value.ts';
import type { Reading } from '../definition/reading.ts';
import { describeConstant, describeOptions } from './constant.ts';
import type { Operator, TestOf } from './operator.ts';

type Matches = TestOf<'matches'>;

export const MATCHES: Operator<Matches> = {
  read: readPattern,
  describe: (test) => `matches ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => orFalse(`match(${value.string()}, ${params.string(patternOf(test))})`),
  passes: (value, test) => typeof value === 'string' && compiled(test).matcher(value).find(),
};

// ClickHouse's RE2 has memory for 87,000 instructions of bytes. A class of Unicode takes up to some 1,700 of them.
const MAX_INSTRUCTIONS = 1_000;
const MAX_INSTRUCTIONS_OF_CLASSES = 50;

function readPattern(reading: Reading, value: unknown, path: string): Matches | undefined {
  const text = reading.text(value, path);
  if (text === undefined) return undefined;
  const test: Matches = { test: 'matches', value: text };
  try {
    const most = /\\p/i.test(text) ? MAX_INSTRUCTIONS_OF_CLASSES : MAX_INSTRUCTIONS;
    if (compile(text).programSize() <= most && compiled(test).programSize() <= most) return test;
  } catch (error) {
    return reading.refuse(path, `is not a pattern of RE2: ${error instanceof Error ? error.message : String(error)}`);
  }
  return reading.refuse(path, 'is too large a pattern');
}

/** As it is given to ClickHouse: letters of other scripts are escapedLetter, since it takes one of them before ? for bytes. */
function patternOf({ value, ignoresCase }: Matches): string {
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

let latest: { readonly pattern: string; readonly program: RE2JS } | undefined;

/** The same pattern is asked of one value after another. */
function compiled(test: Matches): RE2JS {
  const pattern = patternOf(test);
  if (latest?.pattern !== pattern) latest = { pattern, program: compile(pattern) };
  return latest.program;
}

/** As ClickHouse has it, `.` is any character, a line feed too. */
function compile(pattern: string): RE2JS {
  return RE2JS.compile(pattern, RE2JS.DOTALL);
}
