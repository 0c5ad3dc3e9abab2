import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { openNewDatabase } from './new-stores.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

/** The worker's database, emptied before the tests of this file or `describe`. */
export function sharedDatabase(): () => Database {
  let database: Database | undefined;
  beforeAll(async () => {
    database = await emptiedDatabase();
  });
  return () => {
    if (!database) throw new Error('not open yet');
    return database;
  };
}

/** The one migrated database in memory of this worker, as it was after its migrations. Emptying it takes a few milliseconds. */
export async function emptiedDatabase(): Promise<Database> {
  const { database, emptying } = await (ofWorker ??= openOfWorker());
  const later = await database.query<{ schema: string }>(LATER_SCHEMAS);
  for (const { schema } of later) await database.script(`drop schema ${schema} cascade`);
  await database.transaction(async (transaction) => {
    // Without triggers: nothing else may delete from the audit log.
    await transaction.query('set local session_replication_role = replica');
    await transaction.query(emptying);
  });
  return database;
}

interface WorkerDatabase {
  readonly database: Database;
  /** The statement that empties it. */
  readonly emptying: string;
}

let ofWorker: Promise<WorkerDatabase> | undefined;

/** Those of generations that tests made. */
const LATER_SCHEMAS = `
  select nspname::text as schema from pg_namespace
  where nspname !~ '^pg_' and nspname not in ('public', 'information_schema')`;

async function openOfWorker(): Promise<WorkerDatabase> {
  const database = await openNewDatabase();
  await migrateDatabase(database);
  const tables = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'`,
  );
  const statements: string[] = [];
  for (const { name } of tables) {
    statements.push(`delete from ${name};`);
    if ((await database.query(`select from ${name} limit 1`)).length === 0) continue;
    // What the migrations put there comes back.
    await database.script(`create temporary table new_${name} as table ${name}`);
    statements.push(`insert into ${name} select * from new_${name};`);
  }
  return { database, emptying: `do $$ begin ${statements.join(' ')} end $$` };
}

/** A new, migrated database on a Postgres server for the tests of one file or `describe`. */
export function sharedPostgres(server: string | undefined): () => Database {
  let fresh: FreshDatabase | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    if (server === undefined) throw new Error('skip these tests where there is no server');
    fresh = await freshDatabase(server);
    database = await openDatabase(fresh.url);
    await migrateDatabase(database);
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.drop();
  });
  return () => {
    if (!database) throw new Error('not open yet');
    return database;
  };
}
