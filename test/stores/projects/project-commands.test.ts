import { describe, expect, test } from 'vitest';
import { hashKey } from '../../../services/stores/projects/keys.ts';
import { projectCommands } from '../../../services/stores/projects/project-commands.ts';
import { MemoryProjectStore } from '../../support/memory-project-store.ts';

describe('the project commands', () => {
  test('project create makes a project with the given settings, or the defaults', async () => {
    const { commands } = setUp();

    const plain = await commands['project create']({ name: 'Plain' });
    const set = await commands['project create']({ name: 'Set', timezone: 'Asia/Tokyo', rate_limit: 5 });

    expect(plain).toMatchObject({ name: 'Plain', timezone: 'Europe/Berlin', rate_limit: null });
    expect(set).toMatchObject({ name: 'Set', timezone: 'Asia/Tokyo', rate_limit: 5 });
    expect(await commands['project list']({})).toEqual([plain, set]);
  });

  test('project create answers in types that JSON can carry, and never shows a secret', async () => {
    const { commands } = setUp();

    const made = await commands['project create']({ name: 'Shop' });

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
      'created_at',
    ]);
  });

  test('project set changes only what is given', async () => {
    const { commands } = setUp();
    const { id } = await commands['project create']({ name: 'Shop', rate_limit: 5 });

    const renamed = await commands['project set']({ id, name: 'Store' });
    const unlimited = await commands['project set']({ id, rate_limit: null });

    expect(renamed).toMatchObject({ name: 'Store', timezone: 'Europe/Berlin', rate_limit: 5 });
    expect(unlimited).toMatchObject({ name: 'Store', rate_limit: null });
  });

  test('key create shows a key once, when it is made, and stores only its hash', async () => {
    const { commands, store } = setUp();
    const { id } = await commands['project create']({ name: 'Shop' });

    const made = await commands['key create']({ project: id, scope: 'read' });

    expect(made).toMatchObject({ project_id: id, scope: 'read', revoked_at: null });
    expect((await store.listKeys())[0]?.sha256).toBe(hashKey(made.key));
    expect(JSON.stringify(await commands['key list']({ project: id }))).not.toContain(made.key);
  });

  test('key list shows the keys of one project or of all, and key revoke revokes one', async () => {
    const { commands } = setUp();
    const one = await commands['project create']({ name: 'One' });
    const two = await commands['project create']({ name: 'Two' });
    const kept = await commands['key create']({ project: one.id, scope: 'write' });
    const { id } = await commands['key create']({ project: two.id, scope: 'write' });

    const revoked = await commands['key revoke']({ id });

    expect(revoked.revoked_at).toMatch(/^\d{4}-.*Z$/u);
    expect(await commands['key list']({ project: two.id })).toEqual([revoked]);
    expect((await commands['key list']({})).map((key) => key.id)).toEqual([kept.id, id]);
  });

  test.each([
    ['an empty name', { name: '' }],
    ['a blank name', { name: '  ' }],
    ['no name', {}],
    ['a name of 201 characters', { name: '🛍'.repeat(201) }],
    ['a name that moves the cursor', { name: 'a\u001b[2Jb' }],
    ['a name that turns text around', { name: 'a\u202eb' }],
    ['a name with a NUL', { name: 'a\0b' }],
    ['half a character', { name: '\ud83d' }],
    ['a time zone that does not exist', { name: 'x', timezone: 'Mars/Olympus' }],
    ['an offset for a time zone', { name: 'x', timezone: '+02:00' }],
    ['a rate limit of 0', { name: 'x', rate_limit: 0 }],
    ['half a rate limit', { name: 'x', rate_limit: 1.5 }],
    ['a rate limit that is text', { name: 'x', rate_limit: '5' }],
  ])('project create refuses %s', async (_, args) => {
    const { commands, store } = setUp();

    await expect(commands['project create'](args)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

    expect(await store.listProjects()).toEqual([]);
  });

  test('project create accepts a name of 200 characters, whatever their size', async () => {
    const name = '🛍'.repeat(200);

    expect(await setUp().commands['project create']({ name })).toMatchObject({ name });
  });

  test('the project commands refuse an update without changes, an invalid id and an invalid scope', async () => {
    const { commands } = setUp();
    const { id } = await commands['project create']({ name: 'Shop' });
    const wrong = [
      commands['project set']({ id }),
      commands['project set']({ id: "' or 1=1", name: 'x' }),
      commands['key create']({ project: id, scope: 'owner' }),
      commands['key create']({ project: id, scope: 'admin' }),
      commands['key create']({ scopes: ['admin', 'read'] }),
      commands['key create']({ scopes: [], project: id }),
      commands['key create']({ scopes: ['read'] }),
      commands['key create']({ scopes: ['read'], project: id, name: ' ' }),
      commands['key create']({ scopes: ['read'], project: id, name: 'a\u001bb' }),
      commands['key list']({ project: '' }),
      commands['key revoke']({ id: 'a\0' }),
    ];

    for (const asked of wrong) await expect(asked).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test('the project commands pass on the errors of the store about unknown ids', async () => {
    const { commands } = setUp();

    await expect(commands['project set']({ id: 'proj_x', name: 'x' })).rejects.toMatchObject({
      code: 'PROJECT_UNKNOWN',
    });
    await expect(commands['key revoke']({ id: 'key_x' })).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
  });
});

function setUp() {
  const store = new MemoryProjectStore();
  return { store, commands: projectCommands(store, 'Europe/Berlin') };
}
