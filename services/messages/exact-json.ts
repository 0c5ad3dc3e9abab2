/** Valid JSON text → its value with every digit, without a reviver: that takes ten times as long as the parsing itself. */

import { randomBytes } from 'node:crypto';
import { digitsAtMost, MAX_NUMBER_DIGITS, rawNumber, survivesDouble } from './exact-number.ts';
import { endOfString } from './json-text.ts';
import { parseJson } from './parse-json.ts';
import { MAX_DEPTH } from './unacceptable.ts';

export interface ExactJson {
  /** Numbers that a double would alter are `RawNumber`s, down to the depth that is taken. */
  readonly exact: unknown;
  /** Whether one of them may have more than `MAX_NUMBER_DIGITS`. */
  readonly mayBeTooLong: boolean;
}

// Begins a string that stands for a number while the text is parsed. Drawn at random, so that no caller can write one.
const MARK = randomBytes(12).toString('base64url');

const [QUOTE, PLUS, MINUS, DOT, ZERO, NINE, E, LOWER_E] = [0x22, 0x2b, 0x2d, 0x2e, 0x30, 0x39, 0x45, 0x65];

/** Undefined where doubles hold every number. */
export function exactOf(text: string): ExactJson | undefined {
  const marked = withMarks(text);
  if (marked === undefined) return undefined;
  return { exact: restored(parseJson(marked.text), 0), mayBeTooLong: marked.mayBeTooLong };
}

/** With a string in place of each number that a double would alter. */
function withMarks(text: string): { readonly text: string; readonly mayBeTooLong: boolean } | undefined {
  let marked = '';
  let from = 0;
  let mayBeTooLong = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (isDigit(char) || char === MINUS) {
      const end = endOfNumber(text, at);
      const source = isShortDecimal(text, at, end) ? undefined : text.slice(at, end);
      if (source !== undefined && !survivesDouble(source)) {
        marked += `${text.slice(from, at)}"${MARK}${source}"`;
        from = end;
        mayBeTooLong ||= digitsAtMost(source) > MAX_NUMBER_DIGITS;
      }
      at = end - 1;
    }
  }
  return from === 0 ? undefined : { text: marked + text.slice(from), mayBeTooLong };
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Nearly all are. Found without copying the text. */
function isShortDecimal(text: string, start: number, end: number): boolean {
  if (end - start >= 16) return false;
  for (let at = start; at < end; at++) if (text.charCodeAt(at) >= E) return false;
  return true;
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= NINE;
}

function isOfNumber(char: number): boolean {
  return isDigit(char) || char === DOT || char === LOWER_E || char === E || char === PLUS || char === MINUS;
}

/** Changes the value in place. What lies too deep is left with its marks: such a body is refused. */
function restored(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? rawNumber(value.slice(MARK.length)) : value;
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) restoreList(value, depth);
  else restoreObject(value as Record<string, unknown>, depth);
  return value;
}

function restoreList(list: unknown[], depth: number): void {
  for (let index = 0; index < list.length; index++) {
    const member = list[index];
    if (typeof member === 'string') list[index] = restored(member, depth + 1);
    else if (typeof member === 'object') restored(member, depth + 1);
  }
}

function restoreObject(object: Record<string, unknown>, depth: number): void {
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (typeof member === 'string') {
      // Not what was no mark: writing to an object of many members costs more than reading it.
      if (member.startsWith(MARK)) object[key] = restored(member, depth + 1);
    } else if (typeof member === 'object') restored(member, depth + 1);
  }
}
