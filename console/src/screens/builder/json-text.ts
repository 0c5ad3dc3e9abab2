/** A definition as text that a person edits: short objects on one line, and the line of each place. */
import { isList, isObject, type Json, jsonText, parseJson } from '../../api/json.ts';
import { type Path } from './json-edit.ts';

const WIDTH = 40;

/** Indented by two spaces; what fits into the width stands on one line. */
export function formatJson(value: Json, column = 0, indent = ''): string {
  const line = onOneLine(value);
  const isEmpty = (isList(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);
  if (column + line.length <= WIDTH || isEmpty) return line;
  const inner = `${indent}  `;
  if (isList(value)) {
    const members = value.map((member) => inner + formatJson(member, inner.length, inner));
    return `[\n${members.join(',\n')}\n${indent}]`;
  }
  if (!isObject(value)) return line;
  const members = Object.entries(value).map(([name, member]) => {
    const start = `${inner}${JSON.stringify(name)}: `;
    return start + formatJson(member, start.length, inner);
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function onOneLine(value: Json): string {
  if (isList(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (!isObject(value) || Object.keys(value).length === 0) return jsonText(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`)
    .join(', ')} }`;
}

export interface SyntaxProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

type Parsed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: SyntaxProblem };

export function readJson(text: string): Parsed {
  try {
    return { ok: true, value: parseJson(text) };
  } catch (error) {
    return { ok: false, problem: problemOf(error instanceof Error ? error.message : '', text) };
  }
}

/** The value; undefined where the text is no JSON. */
export function jsonIn(text: string): Json | undefined {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

/** Engines word it differently: V8 names a position, Firefox a line, Safari neither. */
function problemOf(message: string, text: string): SyntaxProblem {
  const [, line] = /line (\d+)/.exec(message) ?? [];
  const [, position] = /position (\d+)/.exec(message) ?? [];
  const reason = message
    .replace(/^JSON\.parse: /, '')
    .replace(/,? ?(?:\.\.\.|").*is not valid JSON$|(?: in JSON)? at (?:position|line).*$| of the JSON data$/s, '')
    .replaceAll(/\s+/g, ' ');
  if (line !== undefined) return { line: Number(line), message: reason };
  const end = position === undefined ? text.trimEnd().length : Number(position);
  return { line: lineAt(text, end), message: reason };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Where in the text of a JSON value a place begins; that of the closest place around it where it is not there. */
export function offsetOf(text: string, path: Path): number {
  let at = skipSpace(text, 0);
  for (const key of path) {
    const member = memberAt(text, at, key);
    if (member === undefined) return at;
    at = member;
  }
  return at;
}

/** Where the value at a place begins and ends; of one that is not there, the bracket of what is around it. */
export function rangeOf(text: string, path: Path): readonly [start: number, end: number] {
  const start = offsetOf(text, path);
  const isThere = path.length === 0 || offsetOf(text, path.slice(0, -1)) !== start;
  return [start, isThere ? endOf(text, start) : start + 1];
}

/** Where the value of a member begins. */
function memberAt(text: string, at: number, key: string | number): number | undefined {
  const isInList = text[at] === '[';
  if (!isInList && text[at] !== '{') return undefined;
  let position = skipSpace(text, at + 1);
  for (let index = 0; position < text.length && !'}]'.includes(text[position] ?? ''); index++) {
    let name: string | number = index;
    if (!isInList) {
      const end = endOf(text, position);
      const key = readJson(text.slice(position, end));
      // A text that was cut off ends within a name.
      if (!key.ok || typeof key.value !== 'string') return undefined;
      name = key.value;
      position = skipSpace(text, skipSpace(text, end) + 1);
    }
    if (String(name) === String(key)) return position;
    position = skipSpace(text, endOf(text, position));
    if (text[position] === ',') position = skipSpace(text, position + 1);
  }
  return undefined;
}

const SPACE = /\s*/y;
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s,[\]{}":]+|[[\]{},:]|\s+/y;

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** Behind the value that begins here. */
function endOf(text: string, from: number): number {
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if ('[{'.includes(token[0])) depth++;
    if (']}'.includes(token[0])) depth--;
    if (depth === 0) return TOKEN.lastIndex;
  }
  return text.length;
}
