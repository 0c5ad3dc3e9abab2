import { type JsonBody, parseBody } from '../../../services/messages/json.ts';
import type { Problem } from '../../../services/messages/message.ts';

/** A body as it comes from the door: JSON text, or a value to be written as such. */
export function bodyOf(content: unknown): JsonBody {
  const body = parseBody(typeof content === 'string' ? content : JSON.stringify(content));
  if (!body.ok) throw new Error(`no body: ${JSON.stringify(body.problems)}`);
  return body.value;
}

/** The paths of what is wrong, in order; empty where nothing is. */
export function pathsOf(result: { ok: true } | { ok: false; problems: readonly Problem[] }): string[] {
  return result.ok ? [] : result.problems.map(({ path }) => path).sort();
}

const DIGITS = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .filter((char) => /[ -~]/.test(char) && !/["\\]/.test(char));

/** `count` traits in as few bytes as possible. */
export function traitsOf(count: number): Record<string, number> {
  const names = DIGITS.values().toArray();
  for (let at = 0; names.length < count; at++) names.push(...DIGITS.map((digit) => `${names[at]}${digit}`));
  return Object.fromEntries(names.slice(0, count).map((name) => [name, 0]));
}
