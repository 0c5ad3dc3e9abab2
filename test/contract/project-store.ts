import { describe, expect, test } from 'vitest';
import { hashKey, makeKey } from '../../services/stores/projects/keys.ts';
import type { FirstKey, NewKey, NewProject } from '../../services/stores/projects/project-store.ts';
import type { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';

const shop: NewProject = { name: 'Shop', timezone: 'Europe/Berlin', rateLimit: null };

/** What the store of projects must do on any database. @param open An empty store; that of the test before is used no more. */
export function testProjectStore(name: string, open: () => Promise<SqlProjectStore>): void {
  describe(`project store: ${name}`, () => {
    test('the project store reads a project back as it was made', async () => {
      const store = await open();

      const made = await store.createProject({ name: "Ünï 🛍 'quoted'", timezone: 'Asia/Tokyo', rateLimit: 250 });

      expect(made).toMatchObject({ name: "Ünï 🛍 'quoted'", timezone: 'Asia/Tokyo', rateLimit: 250 });
      expect(made.id).toMatch(/^proj_[a-z0-9]{20}$/u);
      expect(await store.listProjects()).toEqual([made]);
    });

    test('the project store gives every project a session secret of its own that stays', async () => {
      const store = await open();
      const first = await store.createProject(shop);
      const second = await store.createProject(shop);

      const changed = await store.updateProject(first.id, { name: 'Renamed' });

      expect(first.sessionSecret).toBeInstanceOf(Uint8Array);
      expect(first.sessionSecret.byteLength).toBe(32);
      expect(changed.sessionSecret).toEqual(first.sessionSecret);
      expect(second.sessionSecret).not.toEqual(first.sessionSecret);
    });

    test('the project store hands out what can be cloned between threads', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);
      await store.addKey(id, { scopes: ['write'], sha256: newHash() });

      const snapshot = await store.snapshot();

      expect(structuredClone(snapshot)).toEqual(snapshot);
      expect(snapshot.projects[0]?.sessionSecret.buffer.byteLength).toBe(32);
    });

    test('the project store changes what an update names and leaves the rest', async () => {
      const store = await open();
      const { id } = await store.createProject({ ...shop, rateLimit: 10 });

      await store.updateProject(id, { timezone: 'UTC' });
      await store.updateProject(id, { rateLimit: null });
      const changed = await store.updateProject(id, { name: 'New' });

      expect(changed).toMatchObject({ name: 'New', timezone: 'UTC', rateLimit: null, nameTraits: ['name', 'email'] });
      expect(await store.listProjects()).toEqual([changed]);
    });

    test('the project store keeps the limits, search traits and name traits that a project has for itself', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);
      const traits = { searchTraits: ['company', "a,'b", ''], nameTraits: ['full name'] };

      await store.updateProject(id, { queryMaxMs: 500, queryMaxRows: 2 ** 50, rateLimitBytes: 5, ...traits });
      const changed = await store.updateProject(id, { queryMaxMemoryBytes: 2 ** 40, queryMaxMs: null });

      expect(changed).toMatchObject({ queryMaxMs: null, queryMaxMemoryBytes: 2 ** 40, queryMaxRows: 2 ** 50 });
      expect(changed).toMatchObject({ rateLimitBytes: 5, ...traits });
      expect(await store.listProjects()).toEqual([changed]);
      expect(await store.updateProject(id, { searchTraits: [] })).toEqual({ ...changed, searchTraits: [] });
    });

    test('the project store adds keys to a project and lists them by project', async () => {
      const store = await open();
      const one = await store.createProject(shop);
      const two = await store.createProject(shop);
      const sha256 = newHash();

      const write = await store.addKey(one.id, { scopes: ['write'], sha256 });
      const read = await store.addKey(two.id, { scopes: ['read'], sha256: newHash() });

      expect(write).toMatchObject({ projectId: one.id, scopes: ['write'], sha256, revokedAtMs: null });
      expect(write.id).toMatch(/^key_[a-z0-9]{20}$/u);
      expect(await store.listKeys(one.id)).toEqual([write]);
      expect(new Set(await store.listKeys())).toEqual(new Set([write, read]));
      const admin = await store.addKey(null, { scopes: ['admin'], sha256: newHash() });
      expect(await store.listKeys(null)).toEqual([admin]);
    });

    test('the project store finds a project by its id, or by its id before its name', async () => {
      const store = await open();
      const first = await store.createProject(shop);
      const second = await store.createProject({ ...shop, name: first.id });

      expect(await store.findProject(first.id)).toEqual(first);
      expect(await store.findProject(shop.name)).toBeUndefined();
      expect(await store.findProjectNamed(shop.name)).toEqual(first);
      expect(await store.findProjectNamed(first.id)).toEqual(first);
      expect(await store.findProjectNamed(second.id)).toEqual(second);
      expect(await store.findProjectNamed('nobody')).toBeUndefined();
    });

    test('the project store leaves a revoked key out of the snapshot and in the list', async () => {
      const store = await open();
      const project = await store.createProject(shop);
      const kept = await store.addKey(project.id, { scopes: ['write'], sha256: newHash() });
      const { id } = await store.addKey(project.id, { scopes: ['write'], sha256: newHash() });

      const revoked = await store.revokeKey(id);
      const again = await store.revokeKey(id);

      expect(revoked.revokedAtMs).toBeGreaterThanOrEqual(revoked.createdAtMs);
      expect(again).toEqual(revoked);
      expect(await store.snapshot()).toEqual({ projects: [project], keys: [kept] });
      expect(await store.listKeys(project.id)).toContainEqual(revoked);
    });

    test('the project store refuses what names a project or key that does not exist', async () => {
      const store = await open();

      await expect(store.updateProject('proj_none', { name: 'x' })).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
      await expect(store.addKey('proj_none', { scopes: ['read'], sha256: newHash() })).rejects.toMatchObject({
        code: 'PROJECT_UNKNOWN',
      });
      await expect(store.revokeKey('key_none')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
      expect(await store.listKeys('proj_none')).toEqual([]);
    });

    test('the project store keeps the scopes of a key as a set, and its name', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);

      const named = await store.addKey(id, { scopes: ['audiences', 'read'], sha256: newHash(), name: 'Nightly jobs' });
      const admin = await store.addKey(null, { scopes: ['admin'], sha256: newHash() });

      expect(named).toMatchObject({ scopes: ['read', 'audiences'], name: 'Nightly jobs', lastUsedDay: null });
      expect(admin).toMatchObject({ projectId: null, scopes: ['admin'], name: null });
      expect(new Set((await store.snapshot()).keys)).toEqual(new Set([named, admin]));
      expect(await store.listKeys(id)).toEqual([named]);
    });

    test.each([
      ['an admin key of a project', true, ['admin']],
      ['a key of no project without the scope admin', false, ['read']],
      ['an admin key with another scope', true, ['read', 'admin']],
      ['a key without a scope', true, []],
    ] as const)('the project store refuses %s', async (_, isOfProject, scopes) => {
      const store = await open();
      const { id } = await store.createProject(shop);

      const added = store.addKey(isOfProject ? id : null, { scopes, sha256: newHash() });

      await expect(added).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    });

    test('the project store keeps the last day on which a key was used', async () => {
      const store = await open();
      const { id: projectId } = await store.createProject(shop);
      const used = await store.addKey(projectId, { scopes: ['write'], sha256: newHash() });
      const idle = await store.addKey(projectId, { scopes: ['read'], sha256: newHash() });

      await store.noteUsed([used.id, 'key_none'], '2026-03-01');
      await store.noteUsed([used.id], '2026-02-28');
      await store.noteUsed([], '2026-03-02');

      const days = new Map((await store.listKeys()).map(({ id, lastUsedDay }) => [id, lastUsedDay]));
      expect(days).toEqual(
        new Map([
          [used.id, '2026-03-01'],
          [idle.id, null],
        ]),
      );
    });

    test('the project store refuses the same key twice', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);
      const sha256 = newHash();
      await store.addKey(id, { scopes: ['write'], sha256 });

      await expect(store.addKey(id, { scopes: ['read'], sha256 })).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    });

    test('the project store makes one first project with its keys, whoever asks', async () => {
      const store = await open();

      const made = await Promise.all(
        [1, 2, 3].map((n) => store.createFirstProject({ ...shop, name: `${n}` }, firstKeys())),
      );

      const [first] = made.filter((project) => project !== undefined);
      expect(made.filter((project) => project !== undefined)).toHaveLength(1);
      expect(await store.listProjects()).toEqual([first]);
      const keys = (await store.listKeys()).map(({ projectId, scopes }) => [projectId, scopes.join()]);
      expect(new Set(keys)).toEqual(
        new Set([
          [first?.id, 'write'],
          [first?.id, 'read,audiences'],
          [null, 'admin'],
        ]),
      );
    });

    test('the project store makes no first project where there is one', async () => {
      const store = await open();
      const project = await store.createProject(shop);

      expect(await store.createFirstProject(shop, firstKeys())).toBeUndefined();

      expect(await store.snapshot()).toEqual({ projects: [project], keys: [] });
    });

    test('the project store knows which keys of the first project await showing', async () => {
      const store = await open();
      const [write, read] = firstKeys();
      const project = await store.createFirstProject(shop, [write, { ...read, awaitsShowing: false }]);
      await store.addKey(project?.id ?? '', { scopes: ['read'], sha256: newHash() });

      const before = (await store.keysAwaitingShowing()).map(({ sha256 }) => sha256);
      const isUsable = await store.noteShown([write.sha256]);

      expect(before).toEqual([write.sha256]);
      expect(isUsable).toBe(true);
      expect(await store.keysAwaitingShowing()).toEqual([]);
      expect((await store.snapshot()).keys).toHaveLength(3);
    });

    test('the project store does not take a revoked key for one that awaits showing', async () => {
      const store = await open();
      await store.createFirstProject(shop, firstKeys());
      const [first, ...others] = await store.keysAwaitingShowing();

      await store.revokeKey(first?.id ?? '');

      expect(await store.keysAwaitingShowing()).toEqual(others);
    });

    test('the project store replaces keys that await showing, each by the one of its scope', async () => {
      const store = await open();
      const project = await store.createFirstProject(shop, firstKeys());
      const awaiting = await store.keysAwaitingShowing();
      const others = firstKeys();

      const theirs = await store.replaceAwaitingKeys(
        awaiting.map(({ id }) => id),
        others,
      );

      const shown = ({ scopes, sha256 }: NewKey) => `${scopes.join()} ${sha256}`;
      const { keys } = await store.snapshot();
      expect(theirs).toEqual(project);
      expect(new Set(keys.map(shown))).toEqual(new Set(others.map(shown)));
      expect(new Set(await store.keysAwaitingShowing())).toEqual(new Set(keys));
      expect(await store.listKeys(project?.id)).toHaveLength(4);
      expect(await store.listKeys()).toHaveLength(6);
    });

    test('the project store replaces none where one of them was shown or replaced by now', async () => {
      const store = await open();
      const [write, read] = firstKeys();
      await store.createFirstProject(shop, [write, read]);
      const ids = (await store.keysAwaitingShowing()).map(({ id }) => id);
      await store.noteShown([read.sha256]);
      const before = await store.snapshot();

      expect(await store.replaceAwaitingKeys(ids, firstKeys())).toBeUndefined();

      expect(await store.snapshot()).toEqual(before);
    });

    test('the project store lets one of several replace the same keys, and tells who shows others that they do not work', async () => {
      const store = await open();
      const [write, read] = firstKeys();
      await store.createFirstProject(shop, [write, read]);
      const ids = (await store.keysAwaitingShowing()).map(({ id }) => id);

      const theirs = await Promise.all([1, 2, 3].map(() => store.replaceAwaitingKeys(ids, firstKeys())));
      const isUsable = await store.noteShown([write.sha256, read.sha256]);

      expect(theirs.filter((project) => project !== undefined)).toHaveLength(1);
      expect(isUsable).toBe(false);
      expect((await store.snapshot()).keys).toHaveLength(2);
      expect(await store.keysAwaitingShowing()).toHaveLength(2);
    });
  });
}

function firstKeys(): [FirstKey, FirstKey, FirstKey] {
  return [
    { scopes: ['write'], sha256: newHash(), awaitsShowing: true },
    { scopes: ['read', 'audiences'], sha256: newHash(), awaitsShowing: true },
    { scopes: ['admin'], sha256: newHash(), awaitsShowing: true },
  ];
}

function newHash(): string {
  return hashKey(makeKey('write'));
}
