/** What a version before wrote is read by this one. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { hashKey } from '../../../services/stores/projects/keys.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { serverUrl } from '../../servers/server.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The last migration of the version before anonymous ids were recorded. */
const OLDER = 8;

const USER_KEY = 'a'.repeat(64);
const ROWS = [
  `insert into projects (id, name, timezone, session_secret, created_at_ms)
   values ('proj_old', 'shop', 'Europe/Berlin', decode(repeat('ab', 32), 'hex'), 1)`,
  `insert into api_keys (id, project_id, scope, sha256, created_at_ms) values
   ('key_w', 'proj_old', 'write', '${hashKey('a key to write with')}', 1),
   ('key_r', 'proj_old', 'read', '${hashKey('a key to read with')}', 1)`,
  `insert into users (project_id, user_key, user_id, first_seen, last_seen) values ('proj_old', '${USER_KEY}', 'ada', 1, 2)`,
  `insert into profiles (project_id, user_key, traits, versions)
   values ('proj_old', '${USER_KEY}', '{"plan": "pro"}', '{"plan": "1"}')`,
];

async function writeAsBefore(database: Database): Promise<void> {
  await migrateDatabase(database, await migrationsUpTo(OLDER));
  for (const sql of ROWS) await database.query(sql);
}

async function expectReadable(database: Database): Promise<void> {
  await migrateDatabase(database);

  const projects = new SqlProjectStore(database);
  const [project] = await projects.listProjects();
  expect(project).toMatchObject({ id: 'proj_old', name: 'shop', timezone: 'Europe/Berlin', rateLimit: null });
  expect((await projects.listKeys('proj_old')).map(({ id }) => id)).toEqual(['key_r', 'key_w']);
  expect(await new SqlProfileStore(database).find('proj_old', USER_KEY)).toMatchObject({
    userId: 'ada',
    anonymousIds: [],
    traits: '{"plan": "pro"}',
  });
}

test('PGlite opens what a version before anonymous ids wrote', async () => {
  const folder = await temporaryFolder();
  const older = await openDatabase(`pglite:${join(folder, 'store')}`);
  await writeAsBefore(older);
  await older.close();

  const database = await openDatabase(`pglite:${join(folder, 'store')}`);
  onTestFinished(() => database.close());

  await expectReadable(database);
});

const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('a Postgres server', () => {
  test('a Postgres server opens what a version before anonymous ids wrote', async () => {
    const fresh = await freshDatabase(server ?? '');
    onTestFinished(() => fresh.drop());
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database.close());
    await writeAsBefore(database);

    await expectReadable(database);
  });
});
