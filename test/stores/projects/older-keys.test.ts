import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { serverUrl } from '../../servers/server.ts';
import { openEmptyDatabase } from '../../support/stores/new-stores.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';

const server = await serverUrl('postgres');

test('keys of PGlite that were made when each had one scope keep what they could', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());

  await expectKept(database);
});

describe.skipIf(server === undefined)('on Postgres', () => {
  test('keys of Postgres that were made when each had one scope keep what they could', async () => {
    const { url, drop } = await freshDatabase(server!);
    onTestFinished(drop);
    const database = await openDatabase(url);
    onTestFinished(() => database.close());

    await expectKept(database);
  });
});

async function expectKept(database: Database): Promise<void> {
  await migrateDatabase(database, await migrationsUpTo(9));
  await database.query(
    `insert into projects (id, name, timezone, session_secret, created_at_ms)
     values ('proj_old', 'Old', 'UTC', decode(repeat('00', 32), 'hex'), 5)`,
  );
  await database.query(
    `insert into api_keys (id, project_id, scope, sha256, created_at_ms, revoked_at_ms, awaits_showing) values
       ('key_write', 'proj_old', 'write', repeat('a', 64), 6, null, false),
       ('key_read', 'proj_old', 'read', repeat('b', 64), 7, null, true),
       ('key_revoked', 'proj_old', 'read', repeat('c', 64), 8, 9, false)`,
  );

  await migrateDatabase(database);

  const store = new SqlProjectStore(database);
  const common = { projectId: 'proj_old', name: null, lastUsedDay: null };
  const read = { ...common, id: 'key_read', scopes: ['read', 'audiences'], sha256: 'b'.repeat(64), revokedAtMs: null };
  expect(await store.listKeys()).toEqual([
    { ...common, id: 'key_write', scopes: ['write'], sha256: 'a'.repeat(64), createdAtMs: 6, revokedAtMs: null },
    { ...read, createdAtMs: 7 },
    { ...read, id: 'key_revoked', sha256: 'c'.repeat(64), createdAtMs: 8, revokedAtMs: 9 },
  ]);
  expect((await store.snapshot()).keys.map(({ id }) => id)).toEqual(['key_write', 'key_read']);
  expect((await store.keysAwaitingShowing()).map(({ id }) => id)).toEqual(['key_read']);
  // An installation of before has no admin key until somebody makes one.
  await store.addKey(null, { scopes: ['admin'], sha256: 'd'.repeat(64) });
  expect((await store.listKeys()).at(-1)).toMatchObject({ projectId: null, scopes: ['admin'] });
}
