import { fileURLToPath } from 'node:url';
import {
  migrate,
  readMigrations,
  statementsOf,
  type AppliedMigration,
  type MigrationFile,
  type MigrationTarget,
} from '../../runtime/migrate.ts';
import type { Database, Queryable } from './database.ts';

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../schemas/postgres', import.meta.url));

/**
 * Makes the tables of `schemas/postgres`, or brings them up to date, those of later generations too. All of a schema or
 * nothing. Returns what was applied now.
 *
 * @throws TidemarkError as `runtime/migrate.ts` and the database do.
 */
export async function migrateDatabase(
  database: Database,
  folder = MIGRATIONS_FOLDER,
): Promise<readonly MigrationFile[]> {
  const files = await readMigrations(folder);
  const applied = [...(await migrate(new DatabaseMigrations(database), files))];
  for (const schema of await generationSchemas(database))
    applied.push(...(await migrateSchema(database, schema, folder)));
  return applied;
}

/** Makes the tables of a generation in this schema, making it where it is absent, or brings them up to date. */
export async function migrateSchema(
  database: Database,
  schema: string,
  folder = MIGRATIONS_FOLDER,
): Promise<readonly MigrationFile[]> {
  const files = (await readMigrations(folder)).filter(({ name }) => OF_EVERY_GENERATION.test(name));
  const numbered = files.map((file, index) => ({ ...file, number: index + 1 }));
  return migrate(new DatabaseMigrations(database, schema), numbered);
}

/** What is read from the log, and so made anew by reading it again. */
const OF_EVERY_GENERATION = /^\d+-profiles\b/;

async function generationSchemas(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ readonly schema: string }>(
    `select nspname::text as schema from pg_namespace
     where nspname in (select kind || '_g' || number from generations where state in ('building', 'built'))`,
  );
  return rows.map(({ schema }) => schema);
}

class DatabaseMigrations implements MigrationTarget {
  readonly #database: Database;
  readonly #schema: string | undefined;
  #transaction: Queryable | undefined;

  /** @param schema Where the tables are made; undefined for where the connection makes them by itself. */
  constructor(database: Database, schema?: string) {
    this.#database = database;
    this.#schema = schema;
  }

  async exclusively(run: () => Promise<void>): Promise<void> {
    const migrateAll = async (transaction: Queryable): Promise<void> => {
      this.#transaction = transaction;
      await transaction.query(MIGRATION_LOCK);
      if (this.#schema !== undefined) {
        await transaction.query(`create schema if not exists ${this.#schema}`);
        await transaction.query(`set local search_path to ${this.#schema}`);
      }
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

// Any number that no other program locks in this database; until the transaction ends. A wait longer
// than the server's lock timeout fails with STORE_UNAVAILABLE and is retried.
const MIGRATION_LOCK = `select pg_advisory_xact_lock(7418321990)::text`;

const MAKE_RECORD = `
  create table if not exists migrations
  (
      number     int4 primary key,
      name       text not null,
      checksum   text not null,
      applied_at timestamptz not null default now()
  )`;

const RECORD = 'insert into migrations (number, name, checksum) values ($1, $2, $3)';
