import { describe, expect, test } from 'vitest';
import { firstStartNotice, makeFirstProject } from '../../../services/stores/projects/first-start.ts';
import { firstScope, hashKey } from '../../../services/stores/projects/keys.ts';
import { emptiedProjects, usableKeys } from '../../support/stores/projects.ts';

const given = {
  timezone: 'Europe/Berlin',
  joinIds: true,
  keepEventsMonths: null,
  writeKey: 'w'.repeat(32),
  readKey: 'r'.repeat(32),
  adminKey: 'a'.repeat(32),
};
const random = {
  timezone: 'UTC',
  joinIds: true,
  keepEventsMonths: null,
  writeKey: undefined,
  readKey: undefined,
  adminKey: undefined,
};

/** Nobody else can be at a first start. */
const ALONE = { othersShowWithinMs: 0 };

describe('the first start', () => {
  test('the first start creates the default project and shows a random key of each scope', async () => {
    const store = await emptiedProjects();

    const first = await makeFirstProject(store, random, ALONE);

    expect(first?.project).toMatchObject({ name: 'default', timezone: 'UTC', rateLimit: null, joinIds: true });
    expect(first?.keys.map(({ scope }) => scope)).toEqual(['write', 'read', 'admin']);
    const shown = first?.keys.map(({ scope, key }) => ({ scope, sha256: hashKey(key) }));
    const kept = (await store.listKeys()).map(({ scopes, sha256 }) => ({ scope: firstScope(scopes), sha256 }));
    expect(new Set(kept)).toEqual(new Set(shown));
    for (const { key } of first?.keys ?? []) expect(firstStartNotice(first!)).toContain(key);
  });

  test('the first start accepts keys from the settings and never shows them', async () => {
    const store = await emptiedProjects();

    const first = await makeFirstProject(store, given, ALONE);

    expect(first?.keys).toEqual([]);
    expect(firstStartNotice(first!)).toBe('');
    const hashes = (await store.listKeys()).map(({ projectId, scopes, sha256 }) => [projectId, scopes, sha256]);
    expect(hashes).toHaveLength(3);
    expect(hashes).toEqual(
      expect.arrayContaining([
        [first?.project.id, ['write'], hashKey(given.writeKey)],
        [first?.project.id, ['read', 'audiences'], hashKey(given.readKey)],
        [null, ['admin'], hashKey(given.adminKey)],
      ]),
    );
  });

  test('the first start shows only the key that was not given', async () => {
    const first = await makeFirstProject(await emptiedProjects(), { ...given, readKey: undefined }, ALONE);

    expect(first?.keys.map(({ scope }) => scope)).toEqual(['read']);
    expect(firstStartNotice(first!)).not.toContain(given.writeKey);
  });

  test('the first start changes nothing where a project exists whose keys were shown', async () => {
    const store = await emptiedProjects();
    const first = await makeFirstProject(store, random, ALONE);
    expect(await first?.noteShown()).toBe(true);
    const before = await store.snapshot();

    expect(await makeFirstProject(store, given, ALONE)).toBeUndefined();

    expect(await store.snapshot()).toEqual(before);
  });

  test.each([
    ['write and read', { readKey: given.writeKey }],
    ['write and admin', { adminKey: given.writeKey }],
    ['read and admin', { adminKey: given.readKey }],
  ])('the first start refuses one key for %s', async (_, same) => {
    const start = makeFirstProject(await emptiedProjects(), { ...given, ...same }, ALONE);

    await expect(start).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('an admin key that was never shown is replaced by another, which no project has', async () => {
    const store = await emptiedProjects();
    const lost = await makeFirstProject(store, { ...given, adminKey: undefined }, ALONE);

    const next = await makeFirstProject(store, { ...given, adminKey: undefined }, ALONE);

    expect(next?.project).toEqual(lost?.project);
    expect(next?.keys.map(({ scope }) => scope)).toEqual(['admin']);
    const admins = (await store.snapshot()).keys.filter(({ projectId }) => projectId === null);
    expect(admins.map(({ sha256 }) => sha256)).toEqual([hashKey(next?.keys[0]?.key ?? '')]);
  });

  test('that ended before its keys were shown is made up for by the next: other keys, and those shown', async () => {
    const store = await emptiedProjects();
    const lost = await makeFirstProject(store, random, ALONE);

    const next = await makeFirstProject(store, random, ALONE);

    expect(next?.project).toEqual(lost?.project);
    expect(next?.keys.map(({ scope }) => scope)).toEqual(['write', 'read', 'admin']);
    for (const { key } of next?.keys ?? []) expect(firstStartNotice(next!)).toContain(key);
    expect(firstStartNotice(next!)).not.toBe(firstStartNotice({ ...next!, isRepeated: false }));
    const usable = await usableKeys(store);
    expect(usable).toEqual(new Set(next?.keys.map(({ key }) => hashKey(key))));
    expect(await lost?.noteShown()).toBe(false);
    expect(await next?.noteShown()).toBe(true);
    expect(await makeFirstProject(store, random, ALONE)).toBeUndefined();
  });

  test('a given key is kept when the other one, which was never shown, is replaced', async () => {
    const store = await emptiedProjects();
    await makeFirstProject(store, { ...given, readKey: undefined }, ALONE);

    const next = await makeFirstProject(store, { ...given, readKey: undefined }, ALONE);

    expect(next?.keys.map(({ scope }) => scope)).toEqual(['read']);
    const usable = await usableKeys(store);
    expect(usable).toEqual(new Set([given.writeKey, given.adminKey, next?.keys[0]?.key ?? ''].map(hashKey)));
  });

  test('keys that are given now replace those that were never shown', async () => {
    const store = await emptiedProjects();
    await makeFirstProject(store, random, ALONE);

    const next = await makeFirstProject(store, given, ALONE);

    expect(firstStartNotice(next!)).toBe('');
    const usable = await usableKeys(store);
    expect(usable).toEqual(new Set([given.writeKey, given.readKey, given.adminKey].map(hashKey)));
    expect(await makeFirstProject(store, random, ALONE)).toBeUndefined();
  });

  test('the first start leaves keys to the process that created them a moment ago and shows them now', async () => {
    const store = await emptiedProjects();
    const first = await makeFirstProject(store, random, ALONE);

    const second = makeFirstProject(store, random, { othersShowWithinMs: 60_000 });
    await first?.noteShown();

    expect(await second).toBeUndefined();
    expect((await store.snapshot()).keys).toHaveLength(3);
  });
});
