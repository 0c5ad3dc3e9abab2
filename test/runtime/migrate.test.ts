import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  migrate,
  readMigrations,
  statementsOf,
  type AppliedMigration,
  type MigrationFile,
  type MigrationTarget,
} from '../../services/runtime/migrate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('migrating', () => {
  test('migrating applies the files in order, once', async () => {
    const target = new MemoryTarget();
    const files = await folderOf({ '002-b.sql': 'two', '001-a.sql': 'one', 'notes.txt': '' });

    expect((await migrate(target, files)).map(({ name }) => name)).toEqual(['001-a.sql', '002-b.sql']);
    expect(await migrate(target, files)).toEqual([]);

    expect(target.ran).toEqual(['one', 'two']);
  });

  test('migrating continues after the last file that was applied', async () => {
    const target = new MemoryTarget();
    await migrate(target, await folderOf({ '001-a.sql': 'one' }));

    await migrate(target, await folderOf({ '001-a.sql': 'one', '002-b.sql': 'two' }));

    expect(target.ran).toEqual(['one', 'two']);
  });

  test('migrating stops at a file that fails, and starts with it the next time', async () => {
    const target = new MemoryTarget();
    const files = await folderOf({ '001-a.sql': 'one', '002-b.sql': 'two' });
    target.refused = 'two';
    await expect(migrate(target, files)).rejects.toThrow('refused');
    target.refused = undefined;

    await migrate(target, files);

    expect(target.ran).toEqual(['one', 'two']);
  });

  test('migrating refuses a store with more migrations than there are files', async () => {
    const target = new MemoryTarget();
    await migrate(target, await folderOf({ '001-a.sql': 'one', '002-b.sql': 'two' }));

    const older = migrate(target, await folderOf({ '001-a.sql': 'one' }));

    await expect(older).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });

  test('a store is opened beside newer migrations all of which are compatible with older programs', async () => {
    const target = new MemoryTarget();
    const newer = { '001-a.sql': 'one', '002-b.compatible.sql': 'two', '003-c.compatible.sql': 'three' };
    await migrate(target, await folderOf(newer));

    expect(await migrate(target, await folderOf({ '001-a.sql': 'one' }))).toEqual([]);
    expect(target.ran).toEqual(['one', 'two', 'three']);
  });

  test('migrating refuses a store where any newer migration breaks older programs, and names it', async () => {
    const target = new MemoryTarget();
    const newer = { '001-a.sql': 'one', '002-b.sql': 'two', '003-c.compatible.sql': 'three' };
    await migrate(target, await folderOf(newer));

    const older = migrate(target, await folderOf({ '001-a.sql': 'one' }));

    await expect(older).rejects.toMatchObject({ code: 'STORE_NEWER', message: expect.stringContaining('002-b.sql') });
  });

  test('a store beside newer migrations is refused where one of its own was changed', async () => {
    const target = new MemoryTarget();
    await migrate(target, await folderOf({ '001-a.sql': 'one', '002-b.compatible.sql': 'two' }));

    const attempt = migrate(target, await folderOf({ '001-a.sql': 'another' }));

    await expect(attempt).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test.each([
    ['changed', { '001-a.sql': 'another', '002-b.sql': 'two' }],
    ['renamed', { '001-z.sql': 'one', '002-b.sql': 'two' }],
  ])('a migration refuses an applied file that was %s', async (_, files) => {
    const target = new MemoryTarget();
    await migrate(target, await folderOf({ '001-a.sql': 'one' }));

    const attempt = migrate(target, await folderOf(files));

    await expect(attempt).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(target.ran).toEqual(['one']);
  });

  test('a file with other line ends has the same checksum', async () => {
    const target = new MemoryTarget();
    await migrate(target, await folderOf({ '001-a.sql': 'one\ntwo\n' }));

    expect(await migrate(target, await folderOf({ '001-a.sql': 'one\r\ntwo\r\n' }))).toEqual([]);
  });
});

describe('a folder of migrations', () => {
  test.each([
    ['empty', {}],
    ['with a gap', { '001-a.sql': '', '003-c.sql': '' }],
    ['with one number twice', { '001-a.sql': '', '001-b.sql': '' }],
    ['with a file not named like one', { '001-a.sql': '', 'b.sql': '' }],
  ])('%s is refused', async (_, files) => {
    await expect(folderOf(files)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('the statements of a script', () => {
  test.each([
    ['are split at semicolons', 'select 1; select 2', ['select 1', 'select 2']],
    ['keep semicolons in strings', `select 'a;''b'; select 'c\\';d'`, [`select 'a;''b'`, `select 'c\\';d'`]],
    ['keep semicolons in names', 'select "a;b", `c;d`', ['select "a;b", `c;d`']],
    [
      'keep comments, with what they say',
      '-- one; 1\nselect 1 /* ; */; select 4 / 2 - 1',
      ['-- one; 1\nselect 1 /* ; */', 'select 4 / 2 - 1'],
    ],
    ['are absent where there are only comments', ' ; -- nothing\n /* ; */ ;', []],
  ])('%s', (_, sql, statements) => {
    expect(statementsOf(sql)).toEqual(statements);
  });
});

class MemoryTarget implements MigrationTarget {
  readonly ran: string[] = [];
  readonly #applied: AppliedMigration[] = [];
  refused: string | undefined;

  async exclusively(run: () => Promise<void>): Promise<void> {
    await run();
  }

  async applied(): Promise<readonly AppliedMigration[]> {
    return this.#applied;
  }

  async apply({ number, name, checksum, sql }: MigrationFile): Promise<void> {
    if (sql === this.refused) throw new Error('refused');
    this.ran.push(sql);
    this.#applied.unshift({ number, name, checksum });
  }
}

async function folderOf(files: Readonly<Record<string, string>>): Promise<readonly MigrationFile[]> {
  const folder = await temporaryFolder();
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return readMigrations(folder);
}
