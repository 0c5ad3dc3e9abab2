import type { PGlite } from '@electric-sql/pglite';

// https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const INT8 = 20;
const BYTEA = 17;
const AS_TEXT = [114, 3802, 1082, 1114, 1184]; // json, jsonb, date, timestamp, timestamptz
const PLAIN_ARRAYS = [1000, 1005, 1007, 1016, 1022]; // of bool, int2, int4, int8, float8
const TEXT = 25;
const TEXT_ARRAY = 1009;

/** Values as `database.ts` says. PGlite would make a small int8 a number and parse json. */
export const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: BigInt,
  [BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  ...Object.fromEntries(AS_TEXT.map((type) => [type, (text: string) => text])),
};

/** To be called once the engine runs: it sets serializers of arrays while it starts. */
export function prepareTypes(pg: PGlite): void {
  pg.serializers[BYTEA] = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`;
  for (const type of PLAIN_ARRAYS) pg.serializers[type] = plainArray;
  // What a serializer returns as bytes goes to Postgres in its binary form, though the type says string.
  pg.serializers[TEXT_ARRAY] = textArray as unknown as (values: readonly (string | null)[]) => string;
}

/** Elements that need no quotes: numbers and booleans. */
function plainArray(values: readonly (number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : String(value))).join(',')}}`;
}

const ARRAY_HEADER_BYTES = 20;
const NULL_LENGTH = -1;

/**
 * The binary form of text[]: one dimension, whether there are nulls, element type, length, lower bound; then each
 * element behind its length. As text, an array of JSON would be quoted here, measured character by character by PGlite,
 * and unquoted by Postgres: a fifth of the projector's time.
 *
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/adt/arrayfuncs.c (array_recv)
 */
function textArray(values: readonly (string | null)[]): Uint8Array {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), ARRAY_HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const field of [1, 1, TEXT, values.length, 1]) at = bytes.writeInt32BE(field, at);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? NULL_LENGTH, at);
    if (value !== null) at += bytes.write(value, at);
  }
  return bytes;
}
