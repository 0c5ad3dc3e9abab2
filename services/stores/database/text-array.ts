// https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const TEXT = 25;
const ARRAY_HEADER_BYTES = 20;
const NULL_LENGTH = -1;

/**
 * The binary form of text[]: the number of dimensions (1), whether there are nulls, the element type, the length and
 * the lower bound; then each element, preceded by its length. In the text form, this process would quote an array of
 * JSON character by character and Postgres would unquote it, which took a fifth of the projector's time on PGlite.
 *
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/adt/arrayfuncs.c (array_recv)
 */
export function textArray(values: readonly (string | null)[]): Buffer {
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
