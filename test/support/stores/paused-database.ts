import type { Database } from '../../../services/stores/database/database.ts';

export interface PausedDatabase {
  readonly database: Database;
  /** Once its next transaction has run all its statements, and holds all its locks. */
  readonly reached: Promise<void>;
  /** Lets it commit; with an error, roll back and reject with that. */
  goOn(error?: Error): void;
}

/** A real database whose transactions stop before they commit: for what two of them do to one another in between. */
export function pausedDatabase(database: Database): PausedDatabase {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  gate.promise.catch(() => undefined);
  return {
    database: {
      query: (sql, values) => database.query(sql, values),
      script: (sql) => database.script(sql),
      close: () => database.close(),
      transaction: (run, options) =>
        database.transaction(async (transaction) => {
          const result = await run(transaction);
          reached.resolve();
          await gate.promise;
          return result;
        }, options),
    },
    reached: reached.promise,
    goOn: (error) => (error ? gate.reject(error) : gate.resolve()),
  };
}
