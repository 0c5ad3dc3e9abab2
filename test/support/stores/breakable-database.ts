import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Database, Queryable, SqlValue, TransactionOptions } from '../../../services/stores/database/database.ts';
import { emptiedDatabase } from './database.ts';

/** The worker's database, emptied. */
export async function breakableDatabase(): Promise<BreakableDatabase> {
  return new BreakableDatabase(await emptiedDatabase());
}

/** A real database that can be out of reach. */
export class BreakableDatabase implements Database {
  /** While true, everything throws `STORE_UNAVAILABLE`; where it is a pattern, the statements that match it do. */
  unreachable: boolean | RegExp = false;
  /** What is always in reach, for a test that places rows. */
  readonly real: Database;

  constructor(real: Database) {
    this.real = real;
  }

  async query<R>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    this.#check(sql);
    return this.real.query<R>(sql, values);
  }

  async script(sql: string): Promise<void> {
    this.#check(sql);
    await this.real.script(sql);
  }

  async transaction<T>(run: (transaction: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T> {
    this.#check();
    const checked = (transaction: Queryable): Queryable => ({
      query: async (sql, values) => {
        this.#check(sql);
        return transaction.query(sql, values);
      },
    });
    return this.real.transaction((transaction) => run(checked(transaction)), options);
  }

  close(): Promise<void> {
    return this.real.close();
  }

  #check(sql?: string): void {
    const { unreachable } = this;
    const isHit = typeof unreachable === 'boolean' ? unreachable : sql !== undefined && unreachable.test(sql);
    if (isHit) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  }
}
