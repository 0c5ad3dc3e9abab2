/**
 * The files of chDB's definitions, `metadata/DATABASE.sql` and `metadata/DATABASE/TABLE.sql`, and those that say which rows of a
 * table are to be rewritten, `mutation_NUMBER.txt`. chDB takes a statement as successful though its file could not be written,
 * and cannot be opened again while a file is cut off or empty.
 */
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface DefinitionFile {
  readonly path: string;
  readonly database: string;
  /** Undefined if it defines the database. */
  readonly table: string | undefined;
}

const SQL = '.sql';
/** As chDB names the folder of a part: its partition, its blocks, its level. */
const PART = /_\d+_\d+_\d+$/;
const MUTATION = /^format version: .*\ncommands: .*\n$/s;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The definitions whose files were not written whole. */
export function brokenDefinitions(folder: string): readonly DefinitionFile[] {
  return allDefinitions(folder).filter(({ path }) => !isWhole(path));
}

/**
 * Removes the files that would keep chDB from being opened: of definitions that failed when the disk filled up. Removes none
 * if one of them may belong to a table with rows. To be called while chDB is not open.
 */
export function removeBrokenDefinitions(folder: string): void {
  const broken = brokenDefinitions(folder);
  if (broken.length === 0 || hasRowsWithoutDefinition(folder)) return;
  for (const { path } of broken) rmSync(path);
}

/**
 * Removes the files of mutations that were not written whole. Rows that such a one was to delete may be there still, as after
 * a kill just before the statement. To be called while chDB is not open.
 */
export function removeBrokenMutations(folder: string): void {
  for (const file of globSync('store/*/*/mutation_*.txt', { cwd: folder })) {
    const path = join(folder, file);
    if (!MUTATION.test(readFileSync(path, 'utf8'))) rmSync(path);
  }
}

function allDefinitions(folder: string): readonly DefinitionFile[] {
  const metadata = join(folder, 'metadata');
  return namesIn(metadata).flatMap((name): readonly DefinitionFile[] => {
    const database = tableNameOf(name);
    if (name.endsWith(SQL)) return [{ path: join(metadata, name), database, table: undefined }];
    const tables = namesIn(join(metadata, name)).filter((file) => file.endsWith(SQL));
    return tables.map((file) => ({ path: join(metadata, name, file), database, table: tableNameOf(file) }));
  });
}

/** None where there is no such folder: of a new store, or of a database that is being made or dropped. */
function namesIn(folder: string): readonly string[] {
  return unlessGone(() => readdirSync(folder)) ?? [];
}

function tableNameOf(file: string): string {
  return decodeURIComponent(basename(file, SQL));
}

/** What was dropped meanwhile counts as whole. */
function isWhole(path: string): boolean {
  const text = unlessGone(() => readFileSync(path, 'utf8'));
  return text === undefined || text.endsWith('\n');
}

/** Undefined where it is not there: chDB removes definitions while others are looked at. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether there are parts of a table that no definition names, and that was not dropped. */
function hasRowsWithoutDefinition(folder: string): boolean {
  const defined = allDefinitions(folder).map(({ path }) => readFileSync(path, 'utf8'));
  const dropped = namesIn(join(folder, 'metadata_dropped'));
  const known = new Set([...defined, ...dropped].flatMap((text) => text.match(UUID) ?? []));
  return globSync('store/*/*/*', { cwd: folder }).some((path) => {
    const [, , uuid = '', name = ''] = path.split('/');
    return PART.test(name) && !known.has(uuid);
  });
}
