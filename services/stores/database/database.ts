/**
 * The port of a Postgres-compatible database. Postgres and PGlite share all SQL; only their adapters differ.
 *
 * Parameters are `$1` … Values come back as: text → string, boolean → boolean, int2/int4/float8 → number, int8 →
 * bigint, bytea → Uint8Array, arrays of those → arrays. The SQL casts every other type (json, jsonb, numeric,
 * timestamptz) to one of these, so that no driver converts it: jsonb as `::text` keeps every digit.
 */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | bigint | boolean | null | Uint8Array)[];

export type Row = Record<string, unknown>;

/**
 * Selects columns under the names that the code has: `project_id` as `projectId`.
 *
 * @param columns Separated by commas, each with the type that it is cast to, if it is: `made_at_ms::float8`.
 * @param of Whose they are: `e.`.
 */
export function inCamelCase(columns: string, of = ''): string {
  const nameOf = (column: string) => column.replace(/::.*|_(\w)/g, (_, letter: string = '') => letter.toUpperCase());
  return columns.replace(/[\w:[\]]+/g, (column) => `${of}${column} as "${nameOf(column)}"`);
}

export interface Queryable {
  /**
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable (also for a serialization failure, a deadlock or a missing
   *   table); `STORE_TIMEOUT`, retryable, if the statement took too long; `STORE_REJECTED` if the statement or a value
   *   is refused permanently; `SERVER_DENIED` if the server denies access. The message contains no values.
   */
  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]>;
}

export interface TransactionOptions {
  /** Lifts the time limits on statements and on the pauses between them. For migrations. */
  readonly isUnhurried?: boolean;
}

export interface Database extends Queryable {
  /**
   * Commits when `run` resolves, and rolls back when it rejects or one of its statements failed. Transactions cannot be
   * nested. Some adapters run one transaction at a time and let other queries wait, so `run` must use only its
   * argument. Statements that `run` issues concurrently run in the order issued (`pipelined`), and fail after one that
   * failed. Where transactions run concurrently, each statement sees what was committed before it began (read
   * committed), and two that write the same rows in different orders fail with a deadlock.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` also if the answer to the commit was lost: the commit may have succeeded.
   */
  transaction<T>(run: (transaction: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs several statements without parameters, for migrations. */
  script(sql: string): Promise<void>;
  /**
   * Rewrites these tables, so that no file of the database has bytes of rows that were deleted or changed before. Left out
   * where a server has the files.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, also where the disk has no room for another copy; the signal's reason.
   */
  rewriteFiles?(tables: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits for statements in progress; where a server has them, for 2 s, after which they reject. Idempotent. */
  close(): Promise<void>;
}
