import type { Database, Queryable, Row, SqlValue, TransactionOptions } from './database.ts';

/**
 * The database as seen from one schema: a table name in braces, `{users}`, refers to that schema. Without a schema, it
 * refers to the connection's default schema. No other module builds qualified table names.
 */
export class SchemaDatabase implements Database {
  readonly #database: Database;
  readonly #prefix: string;
  /** Cache: statement with braces → statement with qualified names. */
  readonly #statements = new Map<string, string>();

  constructor(database: Database, schema: string | undefined) {
    if (schema !== undefined && !/^[a-z]\w*$/.test(schema)) throw new Error(`${schema} cannot be the name of a schema`);
    this.#database = database;
    this.#prefix = schema === undefined ? '' : `${schema}.`;
  }

  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    return this.#database.query<R>(this.#qualified(sql), values);
  }

  transaction<T>(run: (transaction: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#database.transaction(
      (transaction) => run({ query: (sql, values) => transaction.query(this.#qualified(sql), values) }),
      options,
    );
  }

  script(sql: string): Promise<void> {
    return this.#database.script(this.#qualified(sql));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #qualified(sql: string): string {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = sql.replaceAll(/\{(\w+)\}/g, `${this.#prefix}$1`);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
