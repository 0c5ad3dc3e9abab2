/**
 * The port of a Postgres-compatible database: one SQL for Postgres and PGlite, which differ in this driver alone.
 *
 * Parameters are `$1` … Values come back as: text → string, boolean → boolean, int2/int4/float8 → number, int8 →
 * bigint, bytea → Uint8Array, arrays of those → arrays. Anything else (json, jsonb, numeric, timestamptz) is cast to
 * one of these by the SQL, so that no driver's idea of a type gets between: jsonb as `::text` keeps every digit.
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

export interface Queryable {
  /**
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable (also: serialization failure, deadlock, a table that is missing);
   *   `STORE_TIMEOUT`, retryable, where the statement took too long; `STORE_REJECTED` where the statement or a value is refused permanently; `SERVER_DENIED` where
   *   the server denies access. No value is in its text.
   */
  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]>;
}

export interface TransactionOptions {
  /** It may take as long as it needs, in statements and between them: for migrations. */
  readonly isUnhurried?: boolean;
}

export interface Database extends Queryable {
  /**
   * Commits when `run` resolves, rolls back when it rejects or a statement of it failed. Not nested. The weakest adapter
   * runs one at a time and lets queries from elsewhere wait: within `run` use nothing but its argument. Statements that
   * `run` asks at once run in the order asked (`pipelined`), and fail after one that failed. Where several transactions
   * run at a time, each statement sees what was committed before it began (read committed), and two that write the same
   * rows in different orders fail as deadlocked.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` also where the answer to the commit was lost: it may have been done.
   */
  transaction<T>(run: (transaction: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs several statements without parameters, for migrations. */
  script(sql: string): Promise<void>;
  /** Waits for what is under way. Idempotent. */
  close(): Promise<void>;
}
