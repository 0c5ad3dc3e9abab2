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

/** Values as `database.ts` says, for a client; the driver's parsers, which all of a process share, are left alone. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: (type: number): Parser => PARSERS.get(type) ?? ((text) => text),
};

/**
 * Values as the driver sends them: text as it is, a Buffer in Postgres' binary form.
 *
 * @param textArrays Which parameters, from 0, are text[]: they go in binary.
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

/** Which parameters of a statement, from 0, it says to be text[]: `$3::text[]` is 2. */
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

/** Of the hexadecimal form: the session asks for no other. A copy: what Buffer makes small shares its memory. */
function parseBytea(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}

// An element in quotes, where a backslash makes the next character plain, or one without.
const ELEMENT = /"((?:[^"\\]|\\[^])*)"|([^{},]+)/g;

/** Of one dimension. */
function arrayOf(parse: Parser): Parser {
  return (text) =>
    [...text.matchAll(ELEMENT)].map(([, quoted, plain = '']) => {
      if (quoted !== undefined) return parse(quoted.replaceAll(/\\([^])/g, '$1'));
      return plain === 'NULL' ? null : parse(plain);
    });
}
