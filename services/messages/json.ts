/** JSON without loss: every digit, key and depth that the contract lets in comes out again. */

import { TidemarkError } from '../runtime/errors.ts';
import { digitsWrittenOut, keepDigits, MAX_NUMBER_DIGITS, mayHoldInexactNumber } from './exact-number.ts';
import type { JsonText, Problem } from './message.ts';

/** Containers within containers, the body's own included. */
export const MAX_DEPTH = 64;

const MAX_PROBLEMS = 100;

// NUL or half a surrogate pair, as an escape; a false alarm (an escaped backslash before it) costs a walk.
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** A body as parsed, twice the same shape: judge `plain`, keep `exact`. Mostly they are one. */
export interface JsonBody {
  /** Numbers are numbers, rounded to a double or infinite where one cannot hold them. */
  readonly plain: unknown;
  /** Numbers that a double would alter are `JSON.rawJSON` objects, which `toJsonText` writes digit for digit. */
  readonly exact: unknown;
}

export type ParsedBody =
  { readonly ok: true; readonly value: JsonBody } | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Parses a request body. A duplicate key: the last counts. Refused, naming the place: what is no JSON, depth over 64, a
 * NUL or lone surrogate in a string or key, a number that takes more than 1,000 digits written out.
 */
export function parseBody(text: string): ParsedBody {
  const parsed = parse(text);
  if ('problem' in parsed) return { ok: false, problems: [parsed.problem] };
  const { plain } = parsed;
  const tooDeep = mayBeTooDeep(text) && isTooDeep(text);
  const exact = !tooDeep && mayHoldInexactNumber(text) ? JSON.parse(text, keepDigits) : plain;
  if (!tooDeep && exact === plain && !SUSPECT_ESCAPE.test(text) && text.isWellFormed()) {
    return { ok: true, value: { plain, exact } };
  }
  const problems: Problem[] = [];
  inspect(exact, [], problems);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { plain, exact } };
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
    return { plain: JSON.parse(text) as unknown };
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
    const char = text[i];
    if (char === '"') i = endOfString(text, i);
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}

/** The index of the quote that ends the string begun at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** Adds what is wrong with `value`, which stands at `place`. */
function inspect(value: unknown, place: string[], problems: Problem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  if (typeof value === 'string') report(wrongWithText(value), place, problems);
  else if (typeof value !== 'object' || value === null) return;
  else if (JSON.isRawJSON(value)) report(wrongWithNumber(digitsWrittenOut(value)), place, problems);
  else if (place.length >= MAX_DEPTH) report(`is nested deeper than ${MAX_DEPTH} levels`, place, problems);
  else inspectMembers(value, place, problems);
}

function inspectMembers(container: object, place: string[], problems: Problem[]): void {
  const isList = Array.isArray(container);
  for (const [key, member] of Object.entries(container)) {
    const wrongKey = isList ? undefined : wrongWithText(key);
    // The pointer to the member itself could not be written: the object that has it is named instead.
    if (wrongKey !== undefined) report(`has a key that ${wrongKey}`, place, problems);
    place.push(key);
    inspect(member, place, problems);
    place.pop();
  }
}

function report(message: string | undefined, place: readonly string[], problems: Problem[]): void {
  if (message !== undefined) problems.push({ path: pointerTo(place), message });
}

function wrongWithText(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character';
  return text.isWellFormed() ? undefined : 'holds half of a surrogate pair';
}

function wrongWithNumber(digits: number): string | undefined {
  return digits > MAX_NUMBER_DIGITS ? `is a number of more than ${MAX_NUMBER_DIGITS} digits` : undefined;
}

/** An RFC 6901 pointer. What must not travel in a string is replaced by U+FFFD. */
export function pointerTo(place: readonly (string | number)[]): string {
  return place.map((step) => `/${escaped(String(step))}`).join('');
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('\0', '\uFFFD').toWellFormed();
}
