import { digitsWrittenOut, MAX_NUMBER_DIGITS } from '../exact-number.ts';
import { MAX_DEPTH } from '../unacceptable.ts';

/**
 * A value (as `JsonBody.exact` has it) at a depth of a body, without what `unacceptableIn` finds in it: U+FFFD
 * stands for NUL and for half a surrogate pair, its digits as text for a number too long, and null for what lies too deep.
 */
export function withoutUnacceptable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return acceptableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (JSON.isRawJSON(value)) return digitsWrittenOut(value) > MAX_NUMBER_DIGITS ? value.rawJSON : value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((member) => withoutUnacceptable(member, depth + 1));
  return objectWithout(value as Readonly<Record<string, unknown>>, depth);
}

function objectWithout(object: Readonly<Record<string, unknown>>, depth: number): object {
  const counts = new Map<string, number>();
  const free = (key: string): string => {
    const wanted = acceptableText(key);
    if (wanted === key) return key;
    // Two keys may differ in nothing but what is replaced: neither loses its member.
    let count = counts.get(wanted) ?? 1;
    let name = count === 1 ? wanted : `${wanted} ${count}`;
    while (Object.hasOwn(object, name)) name = `${wanted} ${++count}`;
    counts.set(wanted, count + 1);
    return name;
  };
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [free(key), withoutUnacceptable(member, depth + 1)]),
  );
}

function acceptableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
