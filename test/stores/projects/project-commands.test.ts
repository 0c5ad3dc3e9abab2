import { describe, expect, test } from 'vitest';
import { hashKey } from '../../../services/stores/projects/keys.ts';
import {
  changeProject,
  createKey,
  createProject,
  revokeKey,
  showKey,
  showProject,
} from '../../../services/stores/projects/project-commands.ts';
import { emptiedProjects } from '../../support/stores/projects.ts';

const ZONE = 'Europe/Berlin';

describe('projects and their keys', () => {
  test('project create makes a project with the given settings, or the defaults', async () => {
    const store = await emptiedProjects();

    const plain = await createProject(store, ZONE, { name: 'Plain' });
    const set = await createProject(store, ZONE, { name: 'Set', timezone: 'Asia/Tokyo', rate_limit: 5 });

    expect(plain).toMatchObject({ name: 'Plain', timezone: 'Europe/Berlin', rate_limit: null });
    expect(set).toMatchObject({ name: 'Set', timezone: 'Asia/Tokyo', rate_limit: 5 });
    expect((await store.listProjects()).map(showProject)).toEqual([plain, set]);
  });

  test('project create answers in types that JSON can carry, and never shows a secret', async () => {
    const store = await emptiedProjects();

    const made = await createProject(store, ZONE, { name: 'Shop' });

    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    expect(Object.keys(made)).toEqual([
      'id',
      'name',
      'timezone',
      'rate_limit',
      'rate_limit_bytes',
      'query_max_ms',
      'query_max_memory_bytes',
      'query_max_rows',
      'search_traits',
      'name_traits',
      'created_at',
    ]);
  });

  test('project set changes only what is given', async () => {
    const store = await emptiedProjects();
    const { id } = await createProject(store, ZONE, { name: 'Shop', rate_limit: 5 });

    const renamed = await changeProject(store, id, { name: 'Store' });
    const unlimited = await changeProject(store, id, { rate_limit: null });

    expect(renamed).toMatchObject({ name: 'Store', timezone: 'Europe/Berlin', rate_limit: 5 });
    expect(unlimited).toMatchObject({ name: 'Store', rate_limit: null });
  });

  test('key create shows a key once, when it is made, and stores only its hash', async () => {
    const store = await emptiedProjects();
    const { id } = await createProject(store, ZONE, { name: 'Shop' });

    const made = await createKey(store, { project: id, scopes: ['read'] });

    expect(made).toMatchObject({ project_id: id, scope: 'read', revoked_at: null });
    expect((await store.listKeys())[0]?.sha256).toBe(hashKey(made.key));
    expect(JSON.stringify((await store.listKeys(id)).map(showKey))).not.toContain(made.key);
  });

  test('key list shows the keys of one project or of all, and key revoke revokes one', async () => {
    const store = await emptiedProjects();
    const one = await createProject(store, ZONE, { name: 'One' });
    const two = await createProject(store, ZONE, { name: 'Two' });
    const kept = await createKey(store, { project: one.id, scopes: ['write'] });
    const { id } = await createKey(store, { project: two.id, scopes: ['write'] });

    const revoked = await revokeKey(store, id);

    expect(revoked.revoked_at).toMatch(/^\d{4}-.*Z$/u);
    expect((await store.listKeys(two.id)).map(showKey)).toEqual([revoked]);
    expect((await store.listKeys()).map((key) => key.id)).toEqual([kept.id, id]);
  });

  test.each([
    ['a blank name', { name: '  ' }],
    ['a name that moves the cursor', { name: 'a\u001b[2Jb' }],
    ['a name that turns text around', { name: 'a\u202eb' }],
    ['a name with a NUL', { name: 'a\0b' }],
    ['half a character', { name: '\ud83d' }],
    ['a time zone that does not exist', { name: 'x', timezone: 'Mars/Olympus' }],
    ['an offset for a time zone', { name: 'x', timezone: '+02:00' }],
  ])('project create refuses %s', async (_, args) => {
    const store = await emptiedProjects();

    await expect(createProject(store, ZONE, args)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

    expect(await store.listProjects()).toEqual([]);
  });

  test('projects and keys refuse an update without changes, an invalid id and an invalid scope', async () => {
    const store = await emptiedProjects();
    const { id } = await createProject(store, ZONE, { name: 'Shop' });
    const wrong = [
      changeProject(store, id, {}),
      changeProject(store, "' or 1=1", { name: 'x' }),
      createKey(store, { project: id, scopes: ['admin'] }),
      createKey(store, { scopes: ['admin', 'read'] }),
      createKey(store, { scopes: ['read'] }),
      createKey(store, { scopes: ['read'], project: id, name: ' ' }),
      createKey(store, { scopes: ['read'], project: id, name: 'a\u001bb' }),
      revokeKey(store, 'a\0'),
    ];

    for (const asked of wrong) await expect(asked).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test('an error of the store about an unknown id is passed on', async () => {
    const store = await emptiedProjects();

    await expect(changeProject(store, 'proj_x', { name: 'x' })).rejects.toMatchObject({
      code: 'PROJECT_UNKNOWN',
    });
    await expect(revokeKey(store, 'key_x')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
  });
});
