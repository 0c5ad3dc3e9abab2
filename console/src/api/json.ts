/** A number as its text: every digit as it was sent. `JSON.stringify` writes it back the same way. */
export interface RawNumber {
  readonly rawJSON: string;
}

export type Json = null | boolean | string | RawNumber | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

// Not in TypeScript's library yet: https://tc39.es/proposal-json-parse-with-source/
interface JsonWithSource {
  parse(
    text: string,
    revive: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): RawNumber;
  isRawJSON?(value: unknown): boolean;
}

const native = JSON as unknown as JsonWithSource;

/** Whether this browser can keep the digits of numbers (all that were released since March 2025 can). */
export const keepsDigits = native.rawJSON !== undefined;

/** Numbers stay text. @throws SyntaxError */
export function parseJson(text: string): Json {
  return native.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined ? native.rawJSON?.(source) : value,
  ) as Json;
}

export function isRawNumber(value: Json | undefined): value is RawNumber {
  return native.isRawJSON?.(value) === true;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) && !isRawNumber(value);
}

/** As `Array.isArray`, which does not narrow a list that is read-only. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value on one line, or indented, as JSON. */
export function jsonText(value: Json, indent = 0): string {
  return JSON.stringify(value, undefined, indent);
}

/** A text without its quotes, everything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** For counts of the interface itself, which are below 2^53; never for a value of a user. */
export function countOf({ rawJSON }: RawNumber): number {
  return Number(rawJSON);
}
