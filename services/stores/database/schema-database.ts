import type { Database, Queryable, Row, SqlValue, TransactionOptions } from './database.ts';

/**
 * The database seen from one of its schemas: a table's name in braces, `{users}`, is that schema's. Without a schema it
 * is the one that the connection finds by itself. The one place where such names are made.
 */
export class SchemaDatabase implements Database {
  readonly #database: Database;
  readonly #prefix: string;
  /** Every statement as it was given → as it is asked, made once. */
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
