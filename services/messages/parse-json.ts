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
  const keys: string[] = [];
  let marked = '';
  let from = 0;
  for (let at = text.indexOf('\\'); at !== -1;) {
    const end = endOfString(text, at);
    // Not JSON: to be refused by whoever parses it.
    if (end === -1) break;
    if (isKey(text, end)) {
      // This is the first backslash of its string, so that no quote stands before it in there.
      const start = text.lastIndexOf('"', at);
      const key = decoded(text.slice(start, end + 1));
      if (key === undefined) break;
      marked += `${text.slice(from, start)}"${MARK}${keys.push(key) - 1}"`;
      from = end + 1;
    }
    at = text.indexOf('\\', end + 1);
  }
  return keys.length === 0 ? undefined : { text: marked + text.slice(from), keys };
}

/** Undefined where it is no string. */
function decoded(string: string): string | undefined {
  try {
    return JSON.parse(string) as string;
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
  if (Array.isArray(value)) return value.map((member) => withoutMarks(member, keys, depth + 1));
  const members = Object.entries(value).map(([key, member]) => {
    const isMarked = key.startsWith(MARK);
    const name = isMarked ? (keys[Number(key.slice(MARK.length))] ?? key) : key;
    return { name, isMarked, member: withoutMarks(member, keys, depth + 1) };
  });
  // Without a prototype it has no hidden class that others share: its keys are no trap for anybody.
  const object = (members.some(({ isMarked }) => isMarked) ? Object.create(null) : {}) as Record<string, unknown>;
  for (const { name, member } of members) {
    // `__proto__` is a key like any other.
    Object.defineProperty(object, name, { value: member, writable: true, enumerable: true, configurable: true });
  }
  return object;
}
