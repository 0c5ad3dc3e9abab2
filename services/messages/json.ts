/** JSON without loss: every digit, key and depth that the contract lets in comes out again. */

import { TidemarkError } from '../runtime/errors.ts';
import { exactOf } from './exact-json.ts';
import { mayHoldInexactNumber } from './exact-number.ts';
import { endOfString } from './json-text.ts';
import type { JsonText, Problem } from './message.ts';
import { parseJson } from './parse-json.ts';
import { MAX_DEPTH, unacceptableIn } from './unacceptable.ts';

// NUL or half a surrogate pair, as an escape; a false alarm (an escaped backslash before it) costs a walk.
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** A body as parsed, twice the same shape: judge `plain`, keep `exact`. Mostly they are one. */
export interface JsonBody {
  /** Numbers are numbers, rounded to a double or infinite where one cannot hold them. */
  readonly plain: unknown;
  /** Numbers that a double would alter are `JSON.rawJSON` objects, which `toJsonText` writes digit for digit. */
  readonly exact: unknown;
}

const [QUOTE, BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d];

export type ParsedBody =
  { readonly ok: true; readonly value: JsonBody } | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Parses a request body. A duplicate key: the last counts. Refused, naming the place: what is no JSON, depth over 64, a
 * NUL or lone surrogate in a string or key, a number that takes more than 1,000 digits written out.
 */
export function parseBody(text: string): ParsedBody {
  const read = readJson(text);
  if (!read.ok) return read;
  const problems = read.isSuspect ? unacceptableIn(read.value.exact, []) : [];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: read.value };
}

/** Any JSON value. */
export type ReadJson =
  | {
      readonly ok: true;
      readonly value: JsonBody;
      /** Whether `unacceptableIn` may find something in `value.exact`. */
      readonly isSuspect: boolean;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Parses what `parseBody` would refuse, too, as long as it is JSON: for a caller who looks at parts of it. */
export function readJson(text: string): ReadJson {
  const parsed = parse(text);
  if ('problem' in parsed) return { ok: false, problems: [parsed.problem] };
  const { plain } = parsed;
  const numbers = mayHoldInexactNumber(text) ? exactOf(text) : undefined;
  const isSuspect =
    numbers?.mayBeTooLong === true ||
    SUSPECT_ESCAPE.test(text) ||
    !text.isWellFormed() ||
    (mayBeTooDeep(text) && isTooDeep(text));
  return { ok: true, value: { plain, exact: numbers === undefined ? plain : numbers.exact }, isSuspect };
}

/** The JSON text of a value of `parseBody`'s. */
export function toJsonText(value: unknown): JsonText {
  return JSON.stringify(value);
}

/**
 * The members of a JSON object, each as its own JSON text, digits untouched.
 *
 * @throws TidemarkError `MESSAGE_UNDECODABLE` where the text is not the JSON of an object.
 */
export function splitObject(text: JsonText): Map<string, JsonText> {
  return new Map(Object.entries(parseObject(text)).map(([key, value]) => [key, JSON.stringify(value)]));
}

function parseObject(text: JsonText): object {
  const body = parseBody(text);
  if (!body.ok) {
    throw new TidemarkError('MESSAGE_UNDECODABLE', `not the JSON of an object: ${body.problems[0]?.message}`);
  }
  const { plain, exact } = body.value;
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new TidemarkError('MESSAGE_UNDECODABLE', 'JSON, but not of an object');
  }
  return exact as object;
}

function parse(text: string): { plain: unknown } | { problem: Problem } {
  try {
    return { plain: parseJson(text) };
  } catch (error) {
    const { message } = error as SyntaxError;
    return { problem: { path: '', message: `is not JSON: ${message.toWellFormed()}` } };
  }
}

/** Whether there are more brackets than we take levels: there seldom are, and finding them is quicker than a walk. */
function mayBeTooDeep(text: string): boolean {
  let left = MAX_DEPTH;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  }
  return false;
}

/** Whether valid JSON text goes deeper than we take. On the text, because anything that recurses could overflow. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    // By number: 500 KB of brackets take a third of the time that they take as strings of one character.
    const char = text.charCodeAt(i);
    if (char === QUOTE) i = endOfString(text, i);
    else if (char === BRACE || char === BRACKET) {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === BRACE_END || char === BRACKET_END) depth--;
  }
  return false;
}
