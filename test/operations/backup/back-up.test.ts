import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMigrations } from '../../../services/runtime/migrate.ts';
import { checkBackup } from '../../../services/operations/backup/check-backup.ts';
import { filesOf, readManifest } from '../../../services/operations/backup/manifest.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { NOT_BACKED_UP } from '../../../services/operations/backup/tables.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BackupScene, SILENT } from './backup-scene.ts';

const LOG_FILE = /^log\//;

async function scene(): Promise<{ readonly made: BackupScene; readonly root: string; readonly folder: string }> {
  const root = await temporaryFolder();
  return { made: await BackupScene.open(root), root, folder: join(root, 'backup') };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => file.slice(folder.length + 1)).filter((file) => !file.startsWith('.'));
}

async function namedBy(folder: string): Promise<readonly string[]> {
  const manifest = await readManifest(folder);
  return manifest === undefined ? [] : filesOf(manifest).map(({ file }) => file);
}

describe('a backup', () => {
  test('the first backup has every record of the log, and the next one only what is new', async () => {
    const { made, folder } = await scene();
    await made.append(500);

    const first = await made.backUp(folder);
    await made.append(30);
    const second = await made.backUp(folder);
    const third = await made.backUp(folder);

    expect(first).toMatchObject({ number: 1, records: 500, records_total: 500, kept: 1 });
    expect(second).toMatchObject({ number: 2, records: 30, records_total: 530, kept: 2 });
    expect(third).toMatchObject({ number: 3, records: 0, records_total: 530, kept: 3 });
    expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 530, bytes: third.bytes_total });
  });

  test('a small last file is written anew with what follows, so files do not become many', async () => {
    const { made, folder } = await scene();
    await made.append(10);
    await made.backUp(folder);
    const before = (await filesIn(folder)).filter((file) => LOG_FILE.test(file));

    for (let run = 0; run < 5; run++) {
      await made.append(10);
      await made.backUp(folder);
    }

    expect((await filesIn(folder)).filter((file) => LOG_FILE.test(file))).toHaveLength(before.length);
  });

  test('older backups than are kept go with their files', async () => {
    const { made, folder } = await scene();
    for (let run = 0; run < 4; run++) await made.backUp(folder, { keep: 2 });

    const found = await checkBackup(folder, SILENT);

    expect(found.backups.map(({ number }) => number)).toEqual([3, 4]);
    expect((await filesIn(folder)).toSorted()).toEqual([...(await namedBy(folder)), 'manifest.json'].toSorted());
  });

  test('files of a run that did not end go, and do not count', async () => {
    const { made, folder } = await scene();
    await made.append(100);
    await made.backUp(folder);
    const leftovers = ['log/tidemark.track-0-0000000000000000.new', 'manifest.json.new'];
    for (const name of leftovers) await writeFile(join(folder, name), 'half');

    await made.backUp(folder);

    expect((await filesIn(folder)).toSorted()).toEqual([...(await namedBy(folder)), 'manifest.json'].toSorted());
    expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 100 });
  });

  test('a run that is aborted at any piece leaves the backup before as it was', async () => {
    const { made, folder } = await scene();
    await made.append(200);
    await made.backUp(folder);
    await made.append(200);
    const aborting = new AbortController();
    made.history.rows = async () => {
      aborting.abort(new Error('killed'));
      return ReadableStream.from([]);
    };

    await expect(made.backUp(folder, { signal: aborting.signal })).rejects.toThrow('killed');

    expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 200, backups: [{ number: 1 }] });
  });

  test('another log is not added to the backups of one', async () => {
    const { made, folder } = await scene();
    await made.append(50);
    await made.backUp(folder);
    const other = await BackupScene.open(await temporaryFolder());
    await other.append(51);

    await expect(other.backUp(folder)).rejects.toMatchObject({ code: 'BACKUP_FOREIGN' });
    await expect((await scene()).made.backUp(folder)).rejects.toMatchObject({ code: 'BACKUP_FOREIGN' });
  });

  test('a folder with other files is refused, and is left as it is', async () => {
    const { made, root } = await scene();
    const folder = join(root, 'photos');
    await mkdir(folder);
    await writeFile(join(folder, 'one.jpg'), '');

    await expect(made.backUp(folder)).rejects.toMatchObject({ code: 'BACKUP_FOREIGN' });

    expect(await readdir(folder)).toEqual(['one.jpg']);
  });

  test('a folder that had a backup and has none now is refused unless it is to begin anew', async () => {
    const { made, folder } = await scene();
    // As its job is kept.
    const jobs = new SqlJobStore(made.database);
    const { id } = await jobs.add({ kind: 'backup', args: { folder }, principal: 'local' }, 'a token');
    const result = JSON.stringify(await made.backUp(folder));
    await jobs.finish(id, { state: 'done', result, failure: null, progress: null, rate: null }, 'a token');
    await rm(folder, { recursive: true });

    await expect(made.backUp(folder)).rejects.toMatchObject({
      code: 'BACKUP_UNAVAILABLE',
      message: expect.stringContaining('mounted') as string,
    });
    expect(await made.backUp(folder, { again: true })).toMatchObject({ number: 1 });
  });

  test('a file in place of the folder is named', async () => {
    const { made, root } = await scene();
    await writeFile(join(root, 'file'), '');

    await expect(made.backUp(join(root, 'file'))).rejects.toMatchObject({
      code: 'BACKUP_UNAVAILABLE',
      message: expect.stringContaining('it is not a folder') as string,
    });
  });
});

describe('a check', () => {
  test('a file of which any byte has changed, that is cut off, or that is missing is named', async () => {
    const { made, folder } = await scene();
    await made.append(300);
    await made.backUp(folder);
    const files = (await filesIn(folder)).filter((file) => file !== 'manifest.json');

    for (const file of files) {
      const path = join(folder, file);
      const bytes = await readFile(path);
      for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
        await writeFile(path, changed);
        await expect(checkBackup(folder, SILENT), `${file} at ${at}`).rejects.toMatchObject(damaged(file));
      }
      await truncate(path, bytes.length - 1);
      await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(damaged(file));
      await rm(path);
      await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(damaged(file));
      await writeFile(path, bytes);
    }
    expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 300 });
  });

  test('a manifest that was changed is refused, and a run does not add to it', async () => {
    const { made, folder } = await scene();
    await made.backUp(folder);
    const path = join(folder, 'manifest.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"schema":', '"schema":1'));

    await expect(checkBackup(folder, SILENT)).rejects.toMatchObject(damaged('manifest.json'));
    await expect(made.backUp(folder)).rejects.toMatchObject(damaged('manifest.json'));
  });

  test('a folder without a finished backup is said to have none', async () => {
    await expect(checkBackup(await temporaryFolder(), SILENT)).rejects.toMatchObject({ code: 'BACKUP_FOREIGN' });
  });
});

test('every table that is made from the log is left out, and all others are backed up', async () => {
  const { made, folder } = await scene();
  await made.backUp(folder);
  const names = await made.database.query<{ name: string }>(
    `select tablename::text as name from pg_tables where schemaname = current_schema()`,
  );
  const files = await readMigrations('schemas/postgres');
  const ofProfiles = files
    .filter(({ name }) => /^\d+-profiles\b/.test(name))
    .map(({ sql }) => sql)
    .join('\n');

  const manifest = await readManifest(folder);

  const backedUp = manifest?.backups[0]?.tables.map(({ table }) => table) ?? [];
  expect([...backedUp, ...NOT_BACKED_UP].toSorted()).toEqual(names.map(({ name }) => name).toSorted());
  const madeFromLog = [...ofProfiles.matchAll(/create table (\w+)/g)].map(([, name]) => name);
  expect(madeFromLog.filter((name) => backedUp.includes(name ?? ''))).toEqual([]);
});

function damaged(file: string): object {
  return { code: 'BACKUP_DAMAGED', message: expect.stringContaining(file) as string };
}
