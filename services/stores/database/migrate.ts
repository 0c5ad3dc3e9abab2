import { fileURLToPath } from 'node:url';
import {
  checkMigrated,
  migrate,
  readMigrations,
  statementsOf,
  type AppliedMigration,
  type MigrationFile,
  type MigrationTarget,
} from '../../runtime/migrate.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable } from './database.ts';

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../schemas/postgres', import.meta.url));

/**
 * Creates or migrates the tables of `schemas/postgres`, including those of later generations. Each schema is migrated
 * in one transaction. Returns the files that were applied.
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

/** Changes nothing. @throws TidemarkError as `migrateDatabase`; `STORE_OLDER` where that would apply a file. */
export async function checkDatabase(database: Database, folder = MIGRATIONS_FOLDER): Promise<void> {
  const files = await readMigrations(folder);
  const check = async (schema: string | undefined, wanted: readonly MigrationFile[]): Promise<void> => {
    const table = schema === undefined ? 'migrations' : `${schema}.migrations`;
    const applied = (await hasTable(database, table)) ? await database.query<AppliedMigration>(appliedIn(table)) : [];
    checkMigrated(applied, wanted, schema === undefined ? 'the database of profiles' : `the schema ${schema} of it`);
  };
  await check(undefined, files);
  for (const schema of await generationSchemas(database)) await check(schema, ofGeneration(files));
}

/**
 * Creates the tables as they were up to this migration, so that rows of that time fit.
 *
 * @throws TidemarkError `STORE_NEWER` where this version does not know the migration.
 */
export async function migrateUpTo(database: Database, number: number, folder = MIGRATIONS_FOLDER): Promise<void> {
  const files = await readMigrations(folder);
  if (number > files.length) {
    const message = `migration ${number} is of a newer version of Tidemark: this one knows ${files.length}`;
    throw new TidemarkError('STORE_NEWER', message);
  }
  await migrate(new DatabaseMigrations(database), files.slice(0, number));
}

export async function hasTable(database: Queryable, table: string): Promise<boolean> {
  const [row] = await database.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
  return row?.there === true;
}

/** The last migration of version 0.3.0. */
const LAST_OF_0_3 = 39;

/**
 * To be called before anything migrates: an event log of version 0.2 is refused, and then version 0.3.0 has to open the database.
 *
 * @throws TidemarkError `STORE_FOREIGN` where a version before 0.3.0 was the last to migrate the database.
 */
export async function refuseOlder(database: Queryable): Promise<void> {
  if (!(await hasTable(database, 'migrations'))) return;
  const [newest] = await database.query<{ readonly number: number | null }>(
    'select max(number) as number from migrations',
  );
  const number = newest?.number ?? null;
  if (number === null || number >= LAST_OF_0_3) return;
  const message = 'the database of profiles is of a version before 0.3.0: start version 0.3.0 once, then this version';
  throw new TidemarkError('STORE_FOREIGN', message);
}

/** The tables that migrations make, also those that a later one drops or renames, and how many there are. No database is asked. */
export async function migratedTables(): Promise<{ readonly names: readonly string[]; readonly migrations: number }> {
  const files = await readMigrations(MIGRATIONS_FOLDER);
  const tables = /^(?:create table|alter table \w+ rename to) (\w+)/gm;
  const names = files.flatMap(({ sql }) => [...sql.matchAll(tables)].map(([, name = '']) => name));
  return { names, migrations: files.length };
}

/** Creates or migrates the tables of a generation in this schema, and creates the schema if it does not exist. */
export async function migrateSchema(
  database: Database,
  schema: string,
  folder = MIGRATIONS_FOLDER,
): Promise<readonly MigrationFile[]> {
  return migrate(new DatabaseMigrations(database, schema), ofGeneration(await readMigrations(folder)));
}

function ofGeneration(files: readonly MigrationFile[]): readonly MigrationFile[] {
  const own = files.filter(({ name }) => OF_EVERY_GENERATION.test(name));
  return own.map((file, index) => ({ ...file, number: index + 1 }));
}

/** The tables that a replay of the log can rebuild. */
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

  /** @param schema The schema of the tables; undefined for the connection's default schema. */
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
    return this.#open().query<AppliedMigration>(appliedIn('migrations'));
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

// An arbitrary number that no other program uses for an advisory lock in this database. The lock is released at the end
// of the transaction. A wait longer than the server's lock timeout fails with STORE_UNAVAILABLE and is retried.
const MIGRATION_LOCK = `select pg_advisory_xact_lock(7418321990)::text`;

const MAKE_RECORD = `
  create table if not exists migrations
  (
      number     int4 primary key,
      name       text not null,
      checksum   text not null,
      applied_at timestamptz not null default now()
  )`;

const appliedIn = (table: string): string => `select number, name, checksum from ${table}`;

const RECORD = 'insert into migrations (number, name, checksum) values ($1, $2, $3)';
