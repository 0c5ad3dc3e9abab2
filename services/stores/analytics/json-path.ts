/** How a member of an event's properties is named in the `properties` column, which knows paths and not keys. Pure. */

/**
 * A key as the sink hands it to the column. The column itself writes `.` in a key as `%2E`
 * (json_type_escape_dots_in_keys) and leaves `%` alone: without this, the keys `a.b` and `a%2Eb` would be one.
 */
export function columnKey(key: string): string {
  return key.includes('%2') ? key.replaceAll(/%(?=2E|25)/g, '%25') : key;
}

/** The path in the column of a member nested under these keys: what `getSubcolumn(properties, {path:String})` takes. */
export function columnPath(keys: readonly string[]): string {
  return keys.map((key) => columnKey(key).replaceAll('.', '%2E')).join('.');
}
