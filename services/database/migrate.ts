import { fileURLToPath } from 'node:url';
import {
  migrate,
  readMigrations,
  statementsOf,
  type AppliedMigration,
  type MigrationFile,
  type MigrationTarget,
} from '../runtime/migrate.ts';
import type { Database, Queryable } from './database.ts';

const FOLDER = fileURLToPath(new URL('../../schemas/postgres', import.meta.url));

/**
 * Makes the tables of `schemas/postgres`, or brings them up to date. All of it or nothing. Returns what was applied now.
 *
 * @throws TidemarkError as `runtime/migrate.ts` and the database do.
 */
export async function migrateDatabase(database: Database, folder = FOLDER): Promise<readonly MigrationFile[]> {
  return migrate(new DatabaseMigrations(database), await readMigrations(folder));
}

class DatabaseMigrations implements MigrationTarget {
  readonly #database: Database;
  #transaction: Queryable | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async exclusively(run: () => Promise<void>): Promise<void> {
    const migrateAll = async (transaction: Queryable): Promise<void> => {
      this.#transaction = transaction;
      await transaction.query(LOCK);
      await transaction.query(MAKE_RECORD);
      await run();
    };
    await this.#database.transaction(migrateAll, { isUnhurried: true });
  }

  async applied(): Promise<readonly AppliedMigration[]> {
    return this.#open().query<AppliedMigration>('select number, name, checksum from migrations');
  }

  async apply(file: MigrationFile): Promise<void> {
    for (const statement of statementsOf(file.sql)) await this.#open().query(statement);
    await this.#open().query(RECORD, [file.number, file.name, file.checksum]);
  }

  #open(): Queryable {
    if (!this.#transaction) throw new Error('only within exclusively()');
    return this.#transaction;
  }
}

// Any number that no other program locks in this database; until the transaction ends. Who waits longer for it than a
// server's lock timeout is told STORE_UNAVAILABLE and comes again.
const LOCK = `select pg_advisory_xact_lock(7418321990)::text`;

const MAKE_RECORD = `
  create table if not exists migrations
  (
      number     int4 primary key,
      name       text not null,
      checksum   text not null,
      applied_at timestamptz not null default now()
  )`;

const RECORD = 'insert into migrations (number, name, checksum) values ($1, $2, $3)';
