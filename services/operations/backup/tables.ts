/** The tables of the database that the log cannot make again: read into files of a backup, and filled from them. */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { flushFolder } from '../../event-log/flush-folder.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { migratedTables } from '../../stores/database/migrate.ts';
import { TRANSACTION_MS } from '../../stores/database/sql-time.ts';
import { TABLES_FOLDER } from './backup-folder.ts';
import type { BackupEntry, RowsFile } from './manifest.ts';
import { readLines, rowsFile } from './rows-file.ts';
import { damaged, unavailable } from './stored-file.ts';

/** Every other table is in a backup, also one that a later migration adds. */
export const NOT_BACKED_UP: readonly string[] = [
  // Made from the log.
  'users',
  'profiles',
  'sightings',
  'applied',
  'applied_counts',
  'dead_letters',
  // How far the readers have come, and with what. A restored installation begins with the first generation.
  'reader_positions',
  'sink_plans',
  'generations',
  'live_generations',
  // What was found in stores that are made again.
  'verification_hours',
  // What holds for the running processes, or for this database alone.
  'processes',
  'store_sizes',
  'console_sessions',
  'live_touches',
  'migrations',
  'restores',
  // In a file of their own (`dumpForgotten`): the newest list holds for every backup.
  'erasures',
  'erased_events',
  'blanked',
];

/** The people who were forgotten, the events that were erased, and the records of the log that are blank therefore. */
const FORGOTTEN_TABLES = ['erasures', 'erased_events', 'blanked'];

const ROWS_OF_FETCH = 1_000;

export interface DumpedTables {
  /** When all of them were as they are in the files. */
  readonly atMs: number;
  readonly schema: number;
  readonly tables: readonly RowsFile[];
}

/**
 * Reads all tables as they are at one moment. An embedded database runs nothing else meanwhile.
 *
 * @param name The name of a folder below that of the tables.
 */
export function dumpTables(
  database: Database,
  folder: string,
  name: string,
  signal: AbortSignal,
): Promise<DumpedTables> {
  const dump = async (transaction: Queryable): Promise<DumpedTables> => {
    await transaction.query('set transaction isolation level repeatable read, read only');
    const [row] = await transaction.query<{ at: bigint; schema: number }>(
      `select ${TRANSACTION_MS} as at, (select max(number) from migrations) as schema`,
    );
    const path = join(folder, TABLES_FOLDER, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    const tables: RowsFile[] = [];
    for (const table of await tablesInOrder(transaction)) {
      signal.throwIfAborted();
      const file = `${TABLES_FOLDER}/${name}/${table}.ndjson.zst`;
      tables.push(await rowsFile({ folder, file, table, signal }, rowsOfTable(transaction, table)));
    }
    await flushFolder(path).catch((error: unknown) => {
      throw unavailable(`cannot write ${path}`, error);
    });
    return { atMs: Number(row?.at), schema: row?.schema ?? 0, tables };
  };
  return database.transaction(dump, { isUnhurried: true });
}

/**
 * Reads the lists of what was forgotten. To be called when the log was copied: what is blank in the copy is in them then.
 *
 * @param name The name of a folder below that of the tables.
 */
export function dumpForgotten(
  database: Database,
  folder: string,
  name: string,
  signal: AbortSignal,
): Promise<readonly RowsFile[]> {
  const dump = async (transaction: Queryable): Promise<readonly RowsFile[]> => {
    await transaction.query('set transaction isolation level repeatable read, read only');
    const files: RowsFile[] = [];
    for (const table of FORGOTTEN_TABLES) {
      const file = `${TABLES_FOLDER}/${name}/${table}.ndjson.zst`;
      files.push(await rowsFile({ folder, file, table, signal }, rowsOfTable(transaction, table)));
    }
    return files;
  };
  return database.transaction(dump, { isUnhurried: true });
}

/**
 * No table is filled but those of the program that are backed up. One that a later version knows is refused by its schema.
 *
 * @throws TidemarkError `BACKUP_DAMAGED`.
 */
export async function expectTables(folder: string, backups: readonly BackupEntry[]): Promise<void> {
  const { names, migrations } = await migratedTables();
  // Tables of version 0.3.0 that are no more: its backups do not have them either.
  const without = [...NOT_BACKED_UP, 'anonymous_ids', 'backups', 'unstored_messages', 'verifications'];
  const isBackedUp = (table: string): boolean => names.includes(table) && !without.includes(table);
  const known = backups.filter(({ schema }) => schema <= migrations).flatMap(({ tables }) => tables);
  const foreign = known.find(({ table }) => !isBackedUp(table));
  if (foreign !== undefined) throw damaged(`${folder} has rows of ${foreign.table}, which no backup has`);
}

/** Fills tables that are empty. Their columns are those that they had when the backup was made. */
export async function fillTables(transaction: Queryable, folder: string, tables: readonly RowsFile[]): Promise<void> {
  for (const file of tables) {
    for await (const lines of readLines(folder, file, ROWS_OF_FETCH)) {
      await transaction.query(
        `insert into ${quoted(file.table)} overriding system value
         select * from jsonb_populate_recordset(null::${quoted(file.table)}, $1::text::jsonb)`,
        [`[${lines.join(',')}]`],
      );
    }
    await continueNumbering(transaction, file.table);
  }
}

/** Adds rows, each a JSON object, but for those that are there. A column that no row names keeps its default. */
export async function insertRows(database: Queryable, table: string, rows: readonly string[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(JSON.parse(row) as object)))].map(quoted);
  await database.query(
    `insert into ${quoted(table)} (${columns.join()})
     select ${columns.join()} from jsonb_populate_recordset(null::${quoted(table)}, $1::text::jsonb)
     on conflict do nothing`,
    [`[${rows.join()}]`],
  );
}

/** Numbers that the database gives go on after those of the rows. */
async function continueNumbering(transaction: Queryable, table: string): Promise<void> {
  const columns = await transaction.query<{ column: string }>(
    `select attname::text as column from pg_attribute
     where attrelid = $1::text::regclass and attidentity <> '' and not attisdropped`,
    [quoted(table)],
  );
  for (const { column } of columns) {
    await transaction.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(column)}), 0) + 1, false)::text
       from ${quoted(table)}`,
      [quoted(table), column],
    );
  }
}

async function* rowsOfTable(transaction: Queryable, table: string): AsyncGenerator<readonly string[]> {
  await transaction.query(
    `declare backed_up no scroll cursor for select to_jsonb(t)::text as row from ${quoted(table)} t`,
  );
  for (;;) {
    const rows = await transaction.query<{ row: string }>(`fetch ${ROWS_OF_FETCH} from backed_up`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row);
  }
  await transaction.query('close backed_up');
}

/** Those that are backed up, each after the tables that its rows refer to. */
async function tablesInOrder(transaction: Queryable): Promise<readonly string[]> {
  const found = await transaction.query<{ name: string }>(
    `select tablename::text as name from pg_tables
     where schemaname = current_schema() and not tablename = any ($1::text[])
     order by tablename`,
    [NOT_BACKED_UP],
  );
  const references = await transaction.query<{ child: string; parent: string }>(
    `select child.relname::text as child, parent.relname::text as parent
     from pg_constraint
     join pg_class as child on child.oid = conrelid
     join pg_class as parent on parent.oid = confrelid
     where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`,
  );
  return inOrder(
    found.map(({ name }) => name),
    references,
  );
}

/** Pure. @throws Error where tables refer to each other in a circle. */
export function inOrder(
  tables: readonly string[],
  references: readonly { readonly child: string; readonly parent: string }[],
): readonly string[] {
  const ordered: string[] = [];
  for (let left = tables; left.length > 0; left = left.filter((table) => !ordered.includes(table))) {
    const free = left.filter((table) => {
      return !references.some(({ child, parent }) => child === table && left.includes(parent));
    });
    if (free.length === 0) throw new Error(`the tables ${left.join(', ')} refer to each other`);
    ordered.push(...free);
  }
  return ordered;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
