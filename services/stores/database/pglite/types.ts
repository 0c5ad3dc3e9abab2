import type { PGlite } from '@electric-sql/pglite';
import { textArray } from '../text-array.ts';

// https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const INT8 = 20;
const BYTEA = 17;
const AS_TEXT = [114, 3802, 1082, 1114, 1184]; // json, jsonb, date, timestamp, timestamptz
const PLAIN_ARRAYS = [1000, 1005, 1007, 1016, 1022]; // of bool, int2, int4, int8, float8
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
