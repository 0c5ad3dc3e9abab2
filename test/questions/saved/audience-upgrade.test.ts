import { expect, test } from 'vitest';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openEmptyDatabase } from '../../support/stores/new-stores.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';

const PROJECT = `
  insert into projects (id, name, timezone, session_secret, created_at_ms)
  values ('proj_shop', 'Shop', 'UTC', sha256('shop'), 1)`;

const INSERTED = `
  insert into audiences (id, project_id, name, definition, version, created_at_ms, updated_at_ms, evaluated_at,
                         evaluated_version, evaluated_cause, members, entered, left_members)
  values ('aud_new', $1, 'New', '{"trait":"n","is":1.0}', 1, 5, 5, null, null, null, null, null, null),
         ('aud_old', $1, 'Old', '{"trait":"n","is":2.0}', 7, 5, 9, 1000, 6, 'refresh', 40, 3, 1)`;

test('audiences saved before versions were kept have their present version and their last evaluation', async () => {
  const database = await openEmptyDatabase();
  try {
    await migrateDatabase(database, await migrationsUpTo(14));
    // As a program of then made it.
    await database.query(PROJECT);
    const project = 'proj_shop';
    await database.query(INSERTED, [project]);

    await migrateDatabase(database);

    const store = new SqlAudienceStore(database, 100);
    expect(await store.find(project, 'aud_old')).toMatchObject({ version: 7, revision: 1 });
    expect(await store.versions(project, 'aud_new', 9)).toEqual([
      { version: 1, definition: '{"trait":"n","is":1.0}', changedAtMs: 5, changedBy: null, changedByName: null },
    ]);
    expect(await store.versions(project, 'aud_old', 9)).toEqual([
      { version: 7, definition: '{"trait":"n","is":2.0}', changedAtMs: null, changedBy: null, changedByName: null },
    ]);
    expect(await store.evaluations(project, 'aud_old', { limit: 9 })).toEqual([
      { at: 1000n, version: 6, cause: 'refresh', members: 40, entered: 3, left: 1 },
    ]);
    expect(await store.evaluations(project, 'aud_new', { limit: 9 })).toEqual([]);
  } finally {
    await database.close();
  }
});
