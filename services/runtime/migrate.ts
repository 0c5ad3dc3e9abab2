/** Versioned migrations: the numbered .sql files of a folder, applied once each and in order. Knows no database. */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from './errors.ts';

/**
 * `NUMBER-NAME.sql`, numbered from 1 without a gap: `001-projects.sql`. One that ends in `.compatible.sql` breaks no older
 * program: those start, and go on, beside it. The store remembers the name, so an older program knows.
 */
export interface MigrationFile {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, line ends as `\n`, in hex. */
  readonly checksum: string;
}

/** A migration as the store remembers it. */
export type AppliedMigration = Pick<MigrationFile, 'number' | 'name' | 'checksum'>;

/**
 * A store that can be migrated. It records what was applied in a table of its own, which it creates where it is
 * absent (`stores/database/migrate.ts` for Postgres is an example).
 */
export interface MigrationTarget {
  /** Runs `run` while no other process migrates this store: by a lock in it, or because its folder is locked anyway. */
  exclusively(run: () => Promise<void>): Promise<void>;
  /** What was applied, in any order. */
  applied(): Promise<readonly AppliedMigration[]>;
  /**
   * Runs one file, then records it; both in one transaction where the store has transactions. One that has none
   * (ClickHouse) runs `statementsOf(file.sql)` one by one and records last: a crash in between runs the whole file
   * again, so every statement there must be repeatable (`CREATE TABLE IF NOT EXISTS`).
   */
  apply(file: MigrationFile): Promise<void>;
}

/** What opening a store may change about it. */
export interface Migration {
  /** Else a store that lacks something is refused (`STORE_OLDER`). */
  readonly isOn: boolean;
  /** Called with the name of each migration that was applied, and of what was made. */
  readonly note?: (name: string) => void;
}

export const MIGRATES: Migration = { isOn: true };

/**
 * Brings a store up to the files. Returns those that were applied now. Never goes back.
 *
 * @throws TidemarkError `STORE_NEWER` where the store has a migration beyond the files that is not compatible; `CONFIG_INVALID` where an
 *   applied file was changed, renamed or left out.
 */
export async function migrate(
  target: MigrationTarget,
  files: readonly MigrationFile[],
): Promise<readonly MigrationFile[]> {
  let pending: readonly MigrationFile[] = [];
  await target.exclusively(async () => {
    pending = pendingOf(await target.applied(), files);
    for (const file of pending) await target.apply(file);
  });
  return pending;
}

/** @throws TidemarkError as `migrate`; `STORE_OLDER` where that would apply a file. */
export function checkMigrated(
  applied: readonly AppliedMigration[],
  files: readonly MigrationFile[],
  what: string,
): void {
  const [next] = pendingOf(applied, files);
  if (next !== undefined) throw storeOlder(`${what} lacks the migration ${next.name}`);
}

export function storeOlder(lack: string): TidemarkError {
  return new TidemarkError('STORE_OLDER', `${lack}, and MIGRATE=off: run \`tidemark migrate\` of this version`);
}

/**
 * The migrations of a folder in order of their numbers. Other files are ignored.
 *
 * @throws TidemarkError `CONFIG_INVALID` where there is none, or the numbers do not run from 1 without a gap.
 */
export async function readMigrations(folder: string): Promise<readonly MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  const files = await Promise.all(names.map((name) => readMigration(folder, name)));
  const sorted = files.toSorted((a, b) => a.number - b.number);
  const astray = sorted.find((file, index) => file.number !== index + 1);
  if (sorted.length === 0) throw migrationsInvalid(`no migration in ${folder}`);
  if (astray)
    throw migrationsInvalid(`${astray.name} in ${folder} is out of sequence: migrations are numbered 1, 2, 3 …`);
  return sorted;
}

/**
 * The statements of a script, split at semicolons outside strings, quoted names and comments; comments stay, empty
 * statements go. For stores that take one statement a call. Knows no dollar quoting.
 */
export function statementsOf(sql: string): readonly string[] {
  const statements: string[] = [];
  let current = '';
  let blank = true;
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ';') {
      if (!blank) statements.push(current.trim());
      current = '';
      blank = true;
      continue;
    }
    current += token;
    if (!COMMENT_OR_SPACE.test(token)) blank = false;
  }
  if (!blank) statements.push(current.trim());
  return statements;
}

const COMMENT_OR_SPACE = /^(?:--|\/\*|\s)/;
// Comments, then quoted text (a quote is escaped by doubling it or by a backslash), then runs of anything else.
const TOKEN = /--[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^])*"|`[^`]*`|;|\s+|[^;\s'"`/-]+|[^]/g;

const FILE_NAME = /^(\d{3,6})-[a-z0-9-]+(?:\.compatible)?\.sql$/;
const COMPATIBLE = /\.compatible\.sql$/;

async function readMigration(folder: string, name: string): Promise<MigrationFile> {
  const match = FILE_NAME.exec(name);
  if (!match) throw migrationsInvalid(`${name} in ${folder} is not named like 001-name.sql`);
  const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
  return { number: Number(match[1]), name, sql, checksum: hash('sha256', sql, 'hex') };
}

function pendingOf(applied: readonly AppliedMigration[], files: readonly MigrationFile[]): readonly MigrationFile[] {
  const done = new Map(applied.map((migration) => [migration.number, migration]));
  const newest = applied.toSorted((a, b) => b.number - a.number)[0];
  const breaking = applied.find(({ number, name }) => number > files.length && !COMPATIBLE.test(name));
  if (breaking !== undefined) {
    throw new TidemarkError(
      'STORE_NEWER',
      `the store was migrated by ${breaking.name} of a newer version of Tidemark: this one knows ${files.length} ` +
        'migrations and cannot go back',
    );
  }
  for (const file of files.slice(0, newest?.number ?? 0)) checkApplied(file, done.get(file.number));
  return files.slice(newest?.number ?? 0);
}

function checkApplied(file: MigrationFile, applied: AppliedMigration | undefined): void {
  if (applied === undefined) throw migrationsInvalid(`the store lacks the migration ${file.name}, but has a later one`);
  if (applied.name !== file.name || applied.checksum !== file.checksum) {
    throw migrationsInvalid(
      `the store was migrated by another ${applied.name} than ${file.name} is now: never change one applied`,
    );
  }
}

function migrationsInvalid(message: string): TidemarkError {
  return new TidemarkError('CONFIG_INVALID', message);
}
