import { describe, expect, test } from 'vitest';
import { hashKey, makeKey } from '../../services/projects/keys.ts';
import type { NewProject, ProjectStore } from '../../services/projects/project-store.ts';

export interface ProjectStoreContract {
  /** An empty store; the one opened for the test before is used no more. */
  readonly open: () => Promise<ProjectStore>;
}

const shop: NewProject = { name: 'Shop', timezone: 'Europe/Berlin', rateLimit: null };

/** What every adapter of the ProjectStore port must do. */
export function testProjectStore(name: string, { open }: ProjectStoreContract): void {
  describe(`project store: ${name}`, () => {
    test('reads a project back as it was made', async () => {
      const store = await open();

      const made = await store.createProject({ name: "Ünï 🛍 'quoted'", timezone: 'Asia/Tokyo', rateLimit: 250 });

      expect(made).toMatchObject({ name: "Ünï 🛍 'quoted'", timezone: 'Asia/Tokyo', rateLimit: 250 });
      expect(made.id).toMatch(/^proj_[a-z0-9]{20}$/u);
      expect(await store.listProjects()).toEqual([made]);
    });

    test('gives every project a session secret of its own that stays', async () => {
      const store = await open();
      const first = await store.createProject(shop);
      const second = await store.createProject(shop);

      const changed = await store.updateProject(first.id, { name: 'Renamed' });

      expect(first.sessionSecret).toBeInstanceOf(Uint8Array);
      expect(first.sessionSecret.byteLength).toBe(32);
      expect(changed.sessionSecret).toEqual(first.sessionSecret);
      expect(second.sessionSecret).not.toEqual(first.sessionSecret);
    });

    test('hands out what can be cloned between threads', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);
      await store.addKey(id, 'write', newHash());

      const snapshot = await store.snapshot();

      expect(structuredClone(snapshot)).toEqual(snapshot);
      expect(snapshot.projects[0]?.sessionSecret.buffer.byteLength).toBe(32);
    });

    test('changes what an update names and leaves the rest', async () => {
      const store = await open();
      const { id } = await store.createProject({ ...shop, rateLimit: 10 });

      await store.updateProject(id, { timezone: 'UTC' });
      await store.updateProject(id, { rateLimit: null });
      const changed = await store.updateProject(id, { name: 'New' });

      expect(changed).toMatchObject({ name: 'New', timezone: 'UTC', rateLimit: null });
      expect(await store.listProjects()).toEqual([changed]);
    });

    test('keeps the limits of its questions that a project has for itself', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);

      await store.updateProject(id, { queryMaxMs: 500, queryMaxRows: 2 ** 50 });
      const changed = await store.updateProject(id, { queryMaxMemoryBytes: 2 ** 40, queryMaxMs: null });

      expect(changed).toMatchObject({ queryMaxMs: null, queryMaxMemoryBytes: 2 ** 40, queryMaxRows: 2 ** 50 });
      expect(await store.listProjects()).toEqual([changed]);
    });

    test('adds keys to a project and lists them by project', async () => {
      const store = await open();
      const one = await store.createProject(shop);
      const two = await store.createProject(shop);
      const sha256 = newHash();

      const write = await store.addKey(one.id, 'write', sha256);
      const read = await store.addKey(two.id, 'read', newHash());

      expect(write).toMatchObject({ projectId: one.id, scope: 'write', sha256, revokedAtMs: null });
      expect(write.id).toMatch(/^key_[a-z0-9]{20}$/u);
      expect(await store.listKeys(one.id)).toEqual([write]);
      expect(new Set(await store.listKeys())).toEqual(new Set([write, read]));
    });

    test('leaves a revoked key out of the snapshot and in the list', async () => {
      const store = await open();
      const project = await store.createProject(shop);
      const kept = await store.addKey(project.id, 'write', newHash());
      const { id } = await store.addKey(project.id, 'write', newHash());

      const revoked = await store.revokeKey(id);
      const again = await store.revokeKey(id);

      expect(revoked.revokedAtMs).toBeGreaterThanOrEqual(revoked.createdAtMs);
      expect(again).toEqual(revoked);
      expect(await store.snapshot()).toEqual({ projects: [project], keys: [kept] });
      expect(await store.listKeys(project.id)).toContainEqual(revoked);
    });

    test('refuses what names a project or key that does not exist', async () => {
      const store = await open();

      await expect(store.updateProject('proj_none', { name: 'x' })).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
      await expect(store.addKey('proj_none', 'read', newHash())).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
      await expect(store.revokeKey('key_none')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
      expect(await store.listKeys('proj_none')).toEqual([]);
    });

    test('refuses the same key twice', async () => {
      const store = await open();
      const { id } = await store.createProject(shop);
      const sha256 = newHash();
      await store.addKey(id, 'write', sha256);

      await expect(store.addKey(id, 'read', sha256)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    });

    test('makes one first project with its keys, whoever asks', async () => {
      const store = await open();
      const keys = () => [
        { scope: 'write', sha256: newHash() } as const,
        { scope: 'read', sha256: newHash() } as const,
      ];

      const made = await Promise.all([1, 2, 3].map((n) => store.createFirstProject({ ...shop, name: `${n}` }, keys())));

      const [first] = made.filter((project) => project !== undefined);
      expect(made.filter((project) => project !== undefined)).toHaveLength(1);
      expect(await store.listProjects()).toEqual([first]);
      expect((await store.listKeys(first?.id)).map(({ scope }) => scope).sort()).toEqual(['read', 'write']);
      expect(await store.listKeys()).toHaveLength(2);
    });

    test('makes no first project where there is one', async () => {
      const store = await open();
      const project = await store.createProject(shop);

      expect(await store.createFirstProject(shop, [{ scope: 'write', sha256: newHash() }])).toBeUndefined();

      expect(await store.snapshot()).toEqual({ projects: [project], keys: [] });
    });
  });
}

function newHash(): string {
  return hashKey(makeKey('write'));
}
