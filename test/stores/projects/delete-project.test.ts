import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isDeleted } from '../../../services/stores/erasures/erased-users.ts';
import { readErasedUsers } from '../../../services/stores/erasures/read-erased-users.ts';
import { contentOfProject, deleteProject } from '../../../services/stores/projects/delete-project.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const database = sharedDatabase();

test('a project is deleted once it has no key in use, no audience and no user', async () => {
  const store = new SqlProjectStore(database());
  const { id } = await store.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  const key = await store.addKey(id, { scopes: ['write'], sha256: 'a'.repeat(64) });
  await database().query(
    `insert into users (project_id, user_key, first_seen, last_seen) values ($1, repeat('a', 64), 0, 0)`,
    [id],
  );
  const remove = (given: string) => deleteProject(database(), given);

  expect(await remove(id)).toEqual({ deleted: false, has: ['keys in use', 'users'] });
  await store.revokeKey(key.id);
  expect(await remove(id)).toEqual({ deleted: false, has: ['users'] });
  await database().query('delete from users where project_id = $1', [id]);
  expect(await remove(id)).toEqual({ deleted: true, has: [], leaves: false });

  expect((await store.listProjects()).map((project) => project.id)).not.toContain(id);
  await expect(remove(id)).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
  await expect(remove('a b')).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
});

describe('a project whose name was given', () => {
  test('a project is deleted by its name with its keys, audiences and sessions, and the name is free', async () => {
    const { id, store, remove } = await projectWithAll('Full');

    expect(await remove('Full')).toEqual({ deleted: true, has: [], leaves: true });

    for (const table of ['api_keys', 'audiences', 'console_sessions', 'repeats', 'live_generations']) {
      const rows = await database().query(`select * from ${table}`);
      const texts = rows.map((row) =>
        JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? 0 : value)),
      );
      expect(texts.filter((text) => text.includes(id))).toEqual([]);
    }
    const { projects, keys } = await store.snapshot();
    expect([...projects, ...keys].map((one) => one.id)).not.toContain(id);
    const again = await store.createProject({ name: 'Full', timezone: 'UTC', rateLimit: null });
    expect(again.id).not.toBe(id);
    expect(isDeleted(await readErasedUsers(database()), id)).toBe(true);
  });

  test('what a project has is counted before it is deleted', async () => {
    const { id } = await projectWithAll('Counted');

    expect(await contentOfProject(database(), id)).toEqual({ users: 0, audiences: 1, keys: 1 });
    await expect(contentOfProject(database(), 'proj_none')).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
  });

  test('a deleted project is still known by its id until the rest of it is deleted', async () => {
    const { id, remove } = await projectWithAll('Twice');
    await remove('Twice');

    expect(await remove('Twice')).toEqual({ deleted: true, has: [], leaves: true });
    await expect(remove('Once')).rejects.toMatchObject({ code: 'PROJECT_NAME_DIFFERS' });
    expect(await remove()).toMatchObject({ deleted: false });
    await database().query(`update erasures set state = 'done', finished_at_us = 1 where project_id = $1`, [id]);

    await expect(remove('Twice')).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
  });

  test('a project is not deleted by another name', async () => {
    const { id, store, remove } = await projectWithAll('Named');

    await expect(remove('named')).rejects.toMatchObject({ code: 'PROJECT_NAME_DIFFERS' });

    expect(await store.listKeys(id)).toHaveLength(1);
    expect(isDeleted(await readErasedUsers(database()), id)).toBe(false);
  });

  async function projectWithAll(name: string) {
    const store = new SqlProjectStore(database());
    const { id } = await store.createProject({ name, timezone: 'UTC', rateLimit: null });
    const key = await store.addKey(id, { scopes: ['read'], sha256: createHash('sha256').update(id).digest('hex') });
    await database().query(
      `insert into audiences (id, project_id, name, definition, version, created_at_ms, updated_at_ms)
       values ($1, $2, 'gold', '{}', 1, 0, 0)`,
      [`aud_${id}`, id],
    );
    await database().query('insert into console_sessions values ($1, $2, $3, 0, 0, 0)', [`session_${id}`, key.id, id]);
    await database().query(
      `insert into repeats (name, principal, fingerprint, made_at_ms, body) values ($1, $2, '', 0, $3)`,
      [`repeat_${id}`, key.id, `of ${id}`],
    );
    await database().query(`insert into live_generations values ('profiles', $1, null, 1, 0)`, [id]);
    return { id, store, remove: (confirm?: string) => deleteProject(database(), id, confirm) };
  }
});
