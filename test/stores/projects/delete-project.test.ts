import { expect, test } from 'vitest';
import { deletionCommand } from '../../../services/stores/projects/delete-project.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { sharedDatabase } from '../../support/database.ts';

const CALL = { report: () => undefined, signal: new AbortController().signal };
const database = sharedDatabase();

test('a project is deleted once it has no key in use, no audience and no user', async () => {
  const store = new SqlProjectStore(database());
  const { id } = await store.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  const key = await store.addKey(id, { scopes: ['write'], sha256: 'a'.repeat(64) });
  await database().query(
    `insert into users (project_id, user_key, first_seen, last_seen) values ($1, repeat('a', 64), 0, 0)`,
    [id],
  );
  const remove = deletionCommand(database());

  expect(await remove({ id }, CALL)).toEqual({ deleted: false, has: ['keys in use', 'users'] });
  await store.revokeKey(key.id);
  expect(await remove({ id }, CALL)).toEqual({ deleted: false, has: ['users'] });
  await database().query('delete from users where project_id = $1', [id]);
  expect(await remove({ id }, CALL)).toEqual({ deleted: true, has: [] });

  expect((await store.listProjects()).map((project) => project.id)).not.toContain(id);
  await expect(remove({ id }, CALL)).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
  await expect(remove({ id: 'a b' }, CALL)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
});
