import { describe, expect, test } from 'vitest';
import { firstStartNotice, makeFirstProject } from '../../services/projects/first-start.ts';
import { hashKey } from '../../services/projects/keys.ts';
import { MemoryProjectStore } from '../support/memory-project-store.ts';

const given = { timezone: 'Europe/Berlin', writeKey: 'w'.repeat(32), readKey: 'r'.repeat(32) };
const random = { timezone: 'UTC', writeKey: undefined, readKey: undefined };

describe('the first start', () => {
  test('makes the default project and shows a random key of each scope', async () => {
    const store = new MemoryProjectStore();

    const first = await makeFirstProject(store, random);

    expect(first?.project).toMatchObject({ name: 'default', timezone: 'UTC', rateLimit: null });
    expect(first?.keys.map(({ scope }) => scope)).toEqual(['write', 'read']);
    const shown = first?.keys.map(({ scope, key }) => ({ scope, sha256: hashKey(key) }));
    expect((await store.listKeys()).map(({ scope, sha256 }) => ({ scope, sha256 }))).toEqual(shown);
    for (const { key } of first?.keys ?? []) expect(firstStartNotice(first!)).toContain(key);
  });

  test('takes the keys it was given and never shows them', async () => {
    const store = new MemoryProjectStore();

    const first = await makeFirstProject(store, given);

    expect(first?.keys).toEqual([]);
    expect(firstStartNotice(first!)).toBe('');
    const hashes = (await store.listKeys()).map(({ scope, sha256 }) => [scope, sha256]);
    expect(hashes).toEqual([
      ['write', hashKey(given.writeKey)],
      ['read', hashKey(given.readKey)],
    ]);
  });

  test('shows only the key that was not given', async () => {
    const first = await makeFirstProject(new MemoryProjectStore(), { ...given, readKey: undefined });

    expect(first?.keys.map(({ scope }) => scope)).toEqual(['read']);
    expect(firstStartNotice(first!)).not.toContain(given.writeKey);
  });

  test('changes nothing where there is a project', async () => {
    const store = new MemoryProjectStore();
    await makeFirstProject(store, random);
    const before = await store.snapshot();

    expect(await makeFirstProject(store, given)).toBeUndefined();

    expect(await store.snapshot()).toEqual(before);
  });

  test('refuses one key for both scopes', async () => {
    const same = makeFirstProject(new MemoryProjectStore(), { ...given, readKey: given.writeKey });

    await expect(same).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
