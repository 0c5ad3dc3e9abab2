/**
 * `JSON.parse` without a fault of V8's (Node 24.0 to 24.21, https://github.com/nodejs/node/issues/63785): it takes a key with
 * an escape for another key that objects had after the same keys before it, where that one begins as the escaped one is
 * written. So `"\n"` is read as `\` once an object had the key `\`. Those objects may be anybody's: one caller's body
 * renamed the keys of another's.
 */
import { randomBytes } from 'node:crypto';
import { endOfString } from './json-text.ts';

// What a key with an escape is called while the text is parsed, with its number. Drawn at random, so that no caller can
// write one.
const MARK = randomBytes(12).toString('base64url');

// Deeper than any text that is taken.
const MAX_DEPTH = 100;

/**
 * As `JSON.parse` should. An object with a key that is written with an escape has no prototype; what lies deeper than 100
 * levels may have lost the names of such keys.
 *
 * @throws SyntaxError as `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  const marked = text.includes('\\') ? withMarks(text) : undefined;
  if (marked === undefined) return JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(marked.text);
  } catch {
    // Its message then speaks of the text as it came.
    return JSON.parse(text);
  }
  return withoutMarks(value, marked.keys, 0);
}

interface Marked {
  readonly text: string;
  /** By number. */
  readonly keys: readonly string[];
}

/** Undefined where no key has an escape. */
function withMarks(text: string): Marked | undefined {
  const escaped = escapedKeys(text);
  if (escaped.size === 0) return undefined;
  const keys = [...escaped];
  const marks = new Map(keys.map((key, number) => [key, `"${MARK}${number}"`]));
  let marked = '';
  let from = 0;
  for (const [start, end] of stringsIn(text, '"')) {
    if (!isKey(text, end)) continue;
    // Written without an escape, too: of a key given twice, the last counts.
    const mark = marks.get(keyOf(text, start, end) ?? '');
    if (mark === undefined) continue;
    marked += text.slice(from, start) + mark;
    from = end + 1;
  }
  return { text: marked + text.slice(from), keys };
}

/** What the keys that are written with an escape say. */
function escapedKeys(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const [start, end] of stringsIn(text, '\\')) {
    const key = isKey(text, end) ? keyOf(text, start, end) : undefined;
    if (key !== undefined) keys.add(key);
  }
  return keys;
}

/** Start and end of every string, or of those with a backslash. May miss some if the text is not JSON. */
function* stringsIn(text: string, first: '"' | '\\'): Iterable<readonly [start: number, end: number]> {
  for (let at = text.indexOf(first); at !== -1;) {
    const end = endOfString(text, at);
    if (end === -1) return;
    // A first backslash has no quote before it in its string.
    yield [text.lastIndexOf('"', at), end];
    at = text.indexOf(first, end + 1);
  }
}

/** Undefined where it is no string. */
function keyOf(text: string, start: number, end: number): string | undefined {
  const written = text.slice(start, end + 1);
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return JSON.parse(written) as string;
  } catch {
    return undefined;
  }
}

/** Whether the string that ends here is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (/[ \t\n\r]/.test(text.charAt(at))) at++;
  return text.charAt(at) === ':';
}

function withoutMarks(value: unknown, keys: readonly string[], depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  // Lists too: their keys are the numbers of their members.
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  let hasMarks = false;
  for (const name of names) {
    hasMarks ||= name.startsWith(MARK);
    const member = members[name];
    if (typeof member !== 'object' || member === null) continue;
    const restored = withoutMarks(member, keys, depth + 1);
    if (restored !== member) setOwn(members, name, restored);
  }
  return hasMarks ? renamed(members, names, keys) : members;
}

/** Without a prototype, and so without a hidden class that others share: its keys are no trap for anybody. */
function renamed(members: Record<string, unknown>, names: readonly string[], keys: readonly string[]): object {
  const object = Object.create(null) as Record<string, unknown>;
  for (const name of names) {
    object[name.startsWith(MARK) ? (keys[Number(name.slice(MARK.length))] ?? name) : name] = members[name];
  }
  return object;
}

/** `__proto__` is a key like any other. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
