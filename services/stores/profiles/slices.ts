// An upsert of 1,000 rows holds the thread of an embedded database for 10 to 30 ms (measured).
const MAX_ROWS = 1_000;

/** A list in pieces small enough for one statement. */
export function* inSlices<T>(list: readonly T[], maxRows = MAX_ROWS): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += maxRows) yield list.slice(start, start + maxRows);
}
