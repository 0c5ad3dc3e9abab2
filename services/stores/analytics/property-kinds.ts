/** The column `property_kinds`. Pure. */
import { splitObject } from '../../messages/json.ts';
import type { JsonText } from '../../messages/message.ts';

// What ClickHouse may not read: 19 digits or more in a row (beyond 64 bits), an exponent of three digits (beyond a double),
// and an escaped character. What looks like one inside a string costs a second look, no more. One by one, and the digits
// written out, which V8 looks for by leaps: a third of the time of a single expression.
const MANY_DIGITS = new RegExp('\\d'.repeat(19));
const LONG_EXPONENT = /[eE][+-]?\d{3}/;

/** Of the first characters of a value's JSON, those that do not stand for its kind themselves. */
const KIND_OF_FIRST: Readonly<Record<string, string>> = { '"': 's', '-': 'd', f: 't' };

/** Undefined, which leaves it to the table, unless the text may have what ClickHouse cannot read. */
export function propertyKinds(text: JsonText): string | undefined {
  if (!text.includes('\\u00') && !MANY_DIGITS.test(text) && !LONG_EXPONENT.test(text)) return undefined;
  const kinds = [...splitObject(text)].map(([name, value]) => {
    const first = value.charAt(0);
    return (KIND_OF_FIRST[first] ?? (/\d/.test(first) ? 'd' : first)) + name;
  });
  return kinds.sort().join('\0');
}
