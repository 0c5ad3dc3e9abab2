import type { CustomTypesConfig } from 'pg';
import type { SqlValue } from '../database.ts';
import { textArray } from '../text-array.ts';

type Parser = (text: string) => unknown;

// https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const PARSERS = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [17, parseBytea],
  [20, BigInt],
  ...[21, 23, 700, 701].map((type) => [type, Number] as const), // int2, int4, float4, float8
  [1000, arrayOf((text) => text === 't')],
  [1001, arrayOf(parseBytea)],
  [1016, arrayOf(BigInt)],
  ...[1005, 1007, 1021, 1022].map((type) => [type, arrayOf(Number)] as const),
  ...[1009, 1015, 2951].map((type) => [type, arrayOf((text) => text)] as const), // text, varchar, uuid
]);

/**
 * Parsers for one client, as `database.ts` defines the values. The driver's parsers for the whole process are
 * unchanged.
 */
export const TYPES: CustomTypesConfig = {
  getTypeParser: (type: number): Parser => PARSERS.get(type) ?? ((text) => text),
};

/**
 * Converts values for the driver, which sends strings as text and a Buffer in the binary form of Postgres.
 *
 * @param textArrays The indexes, from 0, of the parameters that are text[]. They are sent in binary form.
 */
export function toParameters(
  values: readonly SqlValue[],
  textArrays: ReadonlySet<number>,
): readonly (string | Buffer | null)[] {
  return values.map((value, index) => {
    if (value === null) return null;
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (typeof value !== 'object') return String(value);
    return textArrays.has(index) && isText(value) ? textArray(value) : arrayText(value);
  });
}

/** The indexes, from 0, of the parameters that a statement casts to text[]: `$3::text[]` is 2. */
export function textArraysOf(sql: string): ReadonlySet<number> {
  return new Set([...sql.matchAll(/\$(\d+)::text\[\]/g)].map(([, number]) => Number(number) - 1));
}

type List = Extract<SqlValue, readonly unknown[]>;

function isText(values: List): values is readonly (string | null)[] {
  return values.every((value) => value === null || typeof value === 'string');
}

function arrayText(values: List): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: List[number]): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  if (value instanceof Uint8Array) return String.raw`"\\x${Buffer.from(value).toString('hex')}"`;
  return String(value);
}

/** Parses the hexadecimal form, which the session requests. Returns a copy because small Buffers share memory. */
function parseBytea(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}

// An element in quotes, where a backslash escapes the next character, or an element without quotes.
const ELEMENT = /"((?:[^"\\]|\\[^])*)"|([^{},]+)/g;

/** A parser for arrays of one dimension. */
function arrayOf(parse: Parser): Parser {
  return (text) =>
    [...text.matchAll(ELEMENT)].map(([, quoted, plain = '']) => {
      if (quoted !== undefined) return parse(quoted.replaceAll(/\\([^])/g, '$1'));
      return plain === 'NULL' ? null : parse(plain);
    });
}
