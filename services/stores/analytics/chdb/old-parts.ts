/**
 * The files of parts that chDB has rewritten. It keeps them for eight minutes: until then the operating system may not have
 * flushed the new ones.
 */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '../../../runtime/pause.ts';

export interface OldPartsParts {
  readonly query: (sql: string) => Promise<Uint8Array>;
  /** Throws where a part is not written whole: what it was made from is needed then. */
  readonly expectWhole: () => Promise<void>;
  /** When the store was opened: what was found damaged then is being read from the log again. */
  readonly openedAtMs: number;
}

interface Table {
  readonly database: string;
  readonly table: string;
}

const LOOK_MS = 100;
const KEPT_SECONDS = 480;
/** The ids of partitions have digits, hexadecimal digits and hyphens; without partitions it is `all`. */
const NO_PARTITION = 'none';

/**
 * Flushes the new parts, and resolves when no file of the old ones is left. Removes what was detached as damaged too.
 *
 * @throws The reason of the signal.
 */
export async function dropOldParts(parts: OldPartsParts, signal: AbortSignal): Promise<void> {
  await dropDetached(parts);
  // A run that was killed may have left the setting: a table that has it is looked at too.
  const tables = await jsonRows<Table>(
    parts,
    `SELECT DISTINCT database, table FROM system.parts WHERE ${IS_OLD} UNION DISTINCT
     SELECT database, name FROM system.tables WHERE database != 'system' AND create_table_query LIKE '%old_parts_lifetime%'`,
  );
  await parts.expectWhole();
  for (const table of tables) {
    signal.throwIfAborted();
    await dropPartsOf(parts, table, signal);
  }
}

async function dropDetached(parts: OldPartsParts): Promise<void> {
  const detached = await jsonRows<Table & { readonly name: string }>(
    parts,
    `SELECT database, table, name FROM system.detached_parts
     WHERE reason IN ('broken-on-start', 'covered-by-broken')
       AND modification_time < fromUnixTimestamp64Milli(${parts.openedAtMs})`,
  );
  for (const { name, ...table } of detached)
    await parts.query(`ALTER TABLE ${tableSql(table)} DROP DETACHED PART '${name}' SETTINGS allow_drop_detached = 1`);
}

async function dropPartsOf(parts: OldPartsParts, table: Table, signal: AbortSignal): Promise<void> {
  const { query } = parts;
  const ofTable = `database = '${table.database}' AND table = '${table.table}'`;
  const old = await jsonRows<{ readonly name: string }>(
    parts,
    `SELECT name FROM system.parts WHERE ${IS_OLD} AND ${ofTable}`,
  );
  // Found after the old ones: what those were rewritten to is among them.
  await flushNewParts(parts, ofTable);
  const names = ['', ...old.map(({ name }) => name)].map((name) => `'${name}'`).join(', ');
  const left = `SELECT 1 FROM system.parts WHERE ${IS_OLD} AND ${ofTable} AND name IN (${names}) LIMIT 1`;
  await query(`ALTER TABLE ${tableSql(table)} MODIFY SETTING old_parts_lifetime = 0`);
  try {
    while ((await jsonRows(parts, left)).length > 0) {
      // It drops nothing, but removes old parts at once, which otherwise happens each half a minute.
      await query(`ALTER TABLE ${tableSql(table)} DROP PARTITION ID '${NO_PARTITION}'`);
      await pause(LOOK_MS, signal);
      signal.throwIfAborted();
    }
    // Merges of the meantime lost their old parts too.
    await flushNewParts(parts, ofTable);
  } finally {
    await query(`ALTER TABLE ${tableSql(table)} RESET SETTING old_parts_lifetime`);
  }
}

async function flushNewParts(parts: OldPartsParts, ofTable: string): Promise<void> {
  const sql = `SELECT path FROM system.parts WHERE active AND ${ofTable} AND modification_time > now() - ${KEPT_SECONDS}`;
  for (const { path } of await jsonRows<{ readonly path: string }>(parts, sql)) await flush(path);
}

const IS_OLD = `NOT active AND database != 'system'`;

function tableSql({ database, table }: Table): string {
  return `\`${database}\`.\`${table}\``;
}

async function jsonRows<T>({ query }: Pick<OldPartsParts, 'query'>, sql: string): Promise<readonly T[]> {
  const text = Buffer.from(await query(`${sql} FORMAT JSONEachRow`)).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
}

/** The files of a part, of its projections, and its folders. A part that is gone was merged into another. */
async function flush(path: string): Promise<void> {
  try {
    const folder = await readdir(path, { recursive: true });
    for (const name of ['.', ...folder]) {
      await using file = await open(join(path, name));
      await file.sync();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
