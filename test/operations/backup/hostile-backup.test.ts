/** Folders that whoever could write to them has changed, the checksum of the manifest too. */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkBackup } from '../../../services/operations/backup/check-backup.ts';
import {
  type BackupEntry,
  type LogFile,
  type Manifest,
  readManifest,
  type RowsFile,
  writeManifest,
} from '../../../services/operations/backup/manifest.ts';
import { linesIn } from '../../../services/operations/backup/rows-file.ts';
import { migratedTables } from '../../../services/stores/database/migrate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BackupScene, RestoreScene, SILENT } from './backup-scene.ts';

const DAMAGED = { code: 'BACKUP_DAMAGED' };

/** A folder with one backup, and its manifest. */
async function scene() {
  const root = await temporaryFolder();
  const folder = join(root, 'backup');
  const made = await BackupScene.open(root);
  await made.append(20);
  await made.backUp(folder);
  const manifest = (await readManifest(folder)) as Manifest;
  return { root, folder, made, manifest };
}

/** A file of rows that is there, and how a manifest names it. */
async function rows(folder: string, file: string, table: string, content: string): Promise<RowsFile> {
  const bytes = zstdCompressSync(content);
  await writeFile(join(folder, file), bytes);
  const sum = crc32(bytes).toString(16).padStart(8, '0');
  return { file, table, bytes: bytes.length, crc32: sum, rows: content.trim().split('\n').length };
}

test(
  'what no backup writes is refused by a check, a restore and a backup, before anything is written',
  { timeout: 180_000 },
  async () => {
    const { root, folder, made, manifest } = await scene();
    const [entry, file] = [manifest.backups[0] as BackupEntry, manifest.log[0] as LogFile];
    const table = entry.tables[0] as RowsFile;
    const withTable = (other: object): object => ({
      ...manifest,
      backups: [{ ...entry, tables: [...entry.tables, { ...table, ...other }] }],
    });
    const withEntry = (other: object): object => ({ ...manifest, backups: [{ ...entry, ...other }] });
    const withFile = (other: object): object => ({
      ...manifest,
      log: [{ ...file, ...other }, ...manifest.log.slice(1)],
    });
    await copyFile(join(folder, table.file), join(root, 'outside.zst'));
    await copyFile(join(folder, table.file), join(folder, 'tables/000001/pg_authid.ndjson.zst'));
    const hostile: [string, object][] = [
      ['a table of the server', withTable({ table: 'pg_authid', file: 'tables/000001/pg_authid.ndjson.zst' })],
      ['a table of another schema', withTable({ table: 'pg_catalog.pg_authid' })],
      ['a table that is not backed up', withTable({ table: 'migrations' })],
      ['a table whose name is SQL', withTable({ table: 'projects"; drop table projects; --' })],
      ['rows outside', withTable({ file: '../outside.zst' })],
      ['rows outside, by way of a folder', withTable({ file: 'tables/../../outside.zst' })],
      ['rows at an absolute path', withTable({ file: join(root, 'outside.zst') })],
      ['a file of the log outside', withFile({ file: '../outside.zst' })],
      ['a file of the log elsewhere within', withFile({ file: table.file })],
      ['a topic of somebody else', withFile({ topic: '../../topic' })],
      ['a topic to be made', withEntry({ topics: [...entry.topics, { name: '../topic', partitions: 2 }] })],
      ['a history that there is not', withEntry({ history: [{ ...table, table: 'events' }] })],
      ['a list of the forgotten of other rows', { ...manifest, forgotten: [table] }],
      ['a count below zero', withFile({ records: -1 })],
      ['an end that is no number', withEntry({ ends: [{ ...entry.ends[0], end: '7' }] })],
      ['a schema below the first', withEntry({ schema: -3 })],
      ['a version with the codes of a terminal', withEntry({ version: '\u001b[2J' })],
      ['no list of backups', { ...manifest, backups: {} }],
      ['an entry that is null', { ...manifest, backups: [null] }],
    ];
    const to = await RestoreScene.open(root);

    for (const [what, changed] of hostile) {
      await writeManifest(folder, changed as Manifest);
      await expect(checkBackup(folder, SILENT), what).rejects.toMatchObject(DAMAGED);
      await expect(to.restore(folder), what).rejects.toMatchObject(DAMAGED);
    }

    await writeManifest(folder, withFile({ file: '../outside.zst' }) as Manifest);
    await expect(made.backUp(folder)).rejects.toMatchObject(DAMAGED);
    expect(await to.database.query('select 1 from pg_tables where schemaname = current_schema()')).toEqual([]);
    await writeManifest(folder, manifest);
    expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 20 });
  },
);

test('a folder that others may write takes no backup, and is neither checked nor restored', async () => {
  const { root, folder, made } = await scene();
  const exposed = { code: 'FOLDER_EXPOSED' };
  const to = await RestoreScene.open(root);
  await chmod(folder, 0o777);

  await expect(made.backUp(folder)).rejects.toMatchObject(exposed);
  await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(exposed);
  await expect(to.restore(folder)).rejects.toMatchObject(exposed);
  await chmod(folder, 0o755);
  await expect(made.backUp(folder)).rejects.toMatchObject(exposed);
  expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 20 });
});

test('nothing but regular files is read, and nothing is waited for', async () => {
  const { root, folder, manifest } = await scene();
  const { file } = manifest.log[0] as LogFile;
  const outside = join(root, 'outside');

  for (const path of [join(folder, file), join(folder, 'manifest.json')]) {
    await rename(path, outside);
    await symlink(outside, path);
    await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(DAMAGED);
    await rm(path);
    execFileSync('mkfifo', [path]);
    await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(DAMAGED);
    // A pipe has no bytes: its length may be made right.
    if (path.endsWith('.zst')) {
      const log = manifest.log.map((one) => (one.file === file ? { ...one, bytes: 0, crc32: '00000000' } : one));
      await writeManifest(folder, { ...manifest, log });
      await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(DAMAGED);
      await writeManifest(folder, manifest);
    }
    await rm(path);
    await rename(outside, path);
  }

  expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 20 });
});

test('a line longer than any row, and rows beyond those that were written, are refused', async () => {
  const { folder, manifest } = await scene();
  const entry = manifest.backups[0] as BackupEntry;
  const name = 'tables/000001/projects.ndjson.zst';
  const others = entry.tables.filter(({ table }) => table !== 'projects');
  const check = async (file: RowsFile): Promise<unknown> => {
    await writeManifest(folder, { ...manifest, backups: [{ ...entry, tables: [...others, file] }] });
    return checkBackup(folder, SILENT);
  };

  const long = check(await rows(folder, name, 'projects', `{"a":"${'x'.repeat(66 * 2 ** 20)}"}\n`));
  await expect(long).rejects.toMatchObject(DAMAGED);
  const many = await rows(folder, name, 'projects', '{}\n'.repeat(30_000));
  await expect(check({ ...many, rows: 1 })).rejects.toMatchObject(DAMAGED);
});

test('a line that comes in many pieces is looked through once', async () => {
  const piece = Buffer.from('x'.repeat(2 ** 16));
  const read = { bytes: 0 };
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let left = 800; left > 0; left--) {
      read.bytes += piece.length;
      yield piece;
    }
    yield Buffer.from('\n\nlast');
  }

  const lines = await Array.fromAsync(linesIn(pieces()));

  expect(lines.map(({ length }) => length)).toEqual([read.bytes, 4]);
});

test('the tables that migrations make are those that a database has', async () => {
  const { made } = await scene();

  const { names } = await migratedTables();

  const found = await made.database.query<{ name: string }>(
    `select tablename::text as name from pg_tables where schemaname = current_schema() and tablename <> 'migrations'`,
  );
  const dropped = [
    'anonymous_ids',
    'backups',
    'dead_letter_edits',
    'deleted_projects',
    'unstored_messages',
    'verifications',
  ];
  expect([...found.map(({ name }) => name), ...dropped].toSorted()).toEqual(names.toSorted());
});
