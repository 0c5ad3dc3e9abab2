import type { Queryable, Row, SqlValue } from './database.ts';

/** The connection that the function of a transaction uses until it ends. */
export class OpenTransaction implements Queryable {
  readonly #run: Queryable['query'];
  #state: 'open' | 'failed' | 'ended' = 'open';

  constructor(run: Queryable['query']) {
    this.#run = run;
  }

  async query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    if (this.#state === 'ended') throw new Error('the transaction has ended');
    try {
      return await this.#run<R>(sql, values);
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
  }

  /** After a failed statement, Postgres answers COMMIT with a rollback and without an error. */
  end(): void {
    if (this.#state === 'failed') throw new Error('a statement of this transaction failed: it cannot be committed');
    this.#state = 'ended';
  }
}
