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

const DEFAULTS = { timezone: 'Europe/Berlin', joinIds: true, keepEventsMonths: null };

describe('projects and their keys', () => {
  test('project create makes a project with the given settings, or the defaults', async () => {
    const store = await emptiedProjects();

    const plain = await createProject(store, DEFAULTS, { name: 'Plain' });
    const set = await createProject(store, DEFAULTS, { name: 'Set', timezone: 'Asia/Tokyo', rate_limit: 5 });

    expect(plain).toMatchObject({ name: 'Plain', timezone: 'Europe/Berlin', rate_limit: null, join_ids: true });
    expect(set).toMatchObject({ name: 'Set', timezone: 'Asia/Tokyo', rate_limit: 5 });
    expect((await store.listProjects()).map(showProject)).toEqual([plain, set]);
  });

  test('key create shows a key once, when it is made, and stores only its hash', async () => {
    const store = await emptiedProjects();
    const { id } = await createProject(store, DEFAULTS, { name: 'Shop' });

    const made = await createKey(store, { project: id, scopes: ['read'] });

    expect(made).toMatchObject({ project_id: id, scope: 'read', revoked_at: null });
    expect((await store.listKeys())[0]?.sha256).toBe(hashKey(made.key));
    expect(JSON.stringify((await store.listKeys(id)).map(showKey))).not.toContain(made.key);
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

    await expect(createProject(store, DEFAULTS, args)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

    expect(await store.listProjects()).toEqual([]);
  });

  test('projects and keys refuse an update without changes, an invalid id and an invalid scope', async () => {
    const store = await emptiedProjects();
    const { id } = await createProject(store, DEFAULTS, { name: 'Shop' });
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
});
