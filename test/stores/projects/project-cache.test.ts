import { describe, expect, onTestFinished, test } from 'vitest';
import { hashKey, makeKey } from '../../../services/stores/projects/keys.ts';
import { ProjectCache, type ProjectCacheOptions } from '../../../services/stores/projects/project-cache.ts';
import type { Scope } from '../../../services/stores/projects/project-store.ts';
import { WatchedProjects } from '../../support/stores/projects.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { eventually } from '../../support/eventually.ts';
import { breakableDatabase } from '../../support/stores/breakable-database.ts';

describe('the project cache', () => {
  test('the project cache answers a known key without a promise and without the store', async () => {
    const { cache, store, project, addKey } = await setUp();
    const key = await addKey('read');
    await cache.start();
    const { snapshots } = store;

    const found = cache.find(key);

    expect(found).toMatchObject({ project, scopes: ['read'] });
    expect(store.snapshots).toBe(snapshots);
  });

  test('the project cache rejects a key that was never created', async () => {
    const { cache } = await setUp();
    await cache.start();

    expect(await cache.find(makeKey('write'))).toBeUndefined();
  });

  test('the project cache finds a key that was created after its last refresh', async () => {
    const { cache, addKey, project } = await setUp();
    await cache.start();
    const key = await addKey('write');

    expect(await cache.find(key)).toMatchObject({ project, scopes: ['write'] });
  });

  test('the project cache rejects no key on the result of a refresh that began before the lookup', async () => {
    const { cache, store, addKey } = await setUp();
    await cache.start();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const before = cache.find(makeKey('write'));
    await eventually(() => expect(store.snapshots).toBe(2));
    const key = await addKey('write');

    const found = cache.find(key);
    gate.resolve();

    expect(await before).toBeUndefined();
    expect(await found).toBeDefined();
  });

  test('the project cache drops a revoked key without any lookup', async () => {
    const { cache, store, addKey } = await setUp({ refreshEveryMs: 5 });
    const key = await addKey('write');
    await cache.start();
    expect(cache.find(key)).not.toBeInstanceOf(Promise);

    await store.revokeKey((await store.listKeys())[0]!.id);

    await eventually(async () => expect(await cache.find(key)).toBeUndefined());
  });

  test('the project cache notices a changed project', async () => {
    const { cache, store, project, addKey } = await setUp({ refreshEveryMs: 5 });
    const key = await addKey('write');
    await cache.start();

    await store.updateProject(project.id, { rateLimit: 7 });

    await eventually(async () => expect(await cache.find(key)).toMatchObject({ project: { rateLimit: 7 } }));
  });

  test('the project cache queries the store at most once per minimum interval, however many unknown keys arrive', async () => {
    const { cache, store } = await setUp({ refreshEveryMs: 60_000, minIntervalMs: 60_000 });
    await cache.start();

    const asked = Array.from({ length: 500 }, async () => cache.find(makeKey('write')));
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    await cache.stop();

    const answers = await Promise.allSettled(asked);
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(store.snapshots).toBe(1);
  });

  test('the project cache queries the store once for all unknown keys that arrive together', async () => {
    const { cache, store } = await setUp({ refreshEveryMs: 60_000 });
    await cache.start();

    await Promise.all(Array.from({ length: 500 }, async () => cache.find(makeKey('write'))));

    expect(store.snapshots).toBe(2);
  });

  test('the project cache has at most one refresh in progress', async () => {
    const { cache, store } = await setUp({ refreshEveryMs: 60_000 });
    await cache.start();

    for (let round = 0; round < 20; round += 1) {
      await Promise.all([cache.find('a'), new Promise(setImmediate).then(() => cache.find('b')), cache.find('c')]);
    }

    expect(store.mostAtOnce).toBe(1);
    expect(store.snapshots).toBeGreaterThan(20);
  });

  test('stopping the project cache leaves no unhandled rejection', async () => {
    const { cache, database } = await setUp();
    database.unreachable = true;
    await cache.start();

    await cache.stop();
    await cache.stop();

    await expect(cache.find('unknown')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('the projects in the cache', () => {
  test('a project is found by its id and by its name, without a promise and without the store', async () => {
    const { cache, store, project } = await setUp();
    await cache.start();
    const { snapshots } = store;

    expect(cache.findProject(project.id)).toEqual(project);
    expect(cache.findProject('Shop')).toEqual(project);
    expect(store.snapshots).toBe(snapshots);
  });

  test('a project that was made after the last refresh is found, and one that does not exist is not', async () => {
    const { cache, store } = await setUp();
    await cache.start();
    const later = await store.createProject({ name: 'Later', timezone: 'UTC', rateLimit: null });

    expect(await cache.findProject('Later')).toEqual(later);
    expect(await cache.findProject('Never')).toBeUndefined();
  });

  test('a name that two projects have names neither, and an id goes before a name', async () => {
    const { cache, store, project } = await setUp();
    await store.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
    const trap = await store.createProject({ name: project.id, timezone: 'UTC', rateLimit: null });
    await cache.start();

    expect(await cache.findProject('Shop')).toBeUndefined();
    expect(await cache.findProject(project.id)).toEqual(project);
    expect(await cache.findProject(trap.id)).toEqual(trap);
  });

  test('an unknown project cannot be checked while the store is unreachable', async () => {
    const { cache, database } = await setUp();
    await cache.start();
    database.unreachable = true;

    await expect(cache.findProject('unknown')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('the last day on which a key was used', () => {
  const today = (): string => new Date().toISOString().slice(0, 10);

  test('the day is written once a day for a key that is used, and not for others', async () => {
    const { cache, store, addKey } = await setUp({ refreshEveryMs: 2 });
    const key = await addKey('read');
    await addKey('write');
    await cache.start();
    void cache.find(key);
    await eventually(() => expect(store.noted).toHaveLength(1));
    const { snapshots } = store;

    await eventually(() => {
      void cache.find(key);
      expect(store.snapshots).toBeGreaterThan(snapshots + 5);
    });

    // Keys of one millisecond are listed in any order.
    const days = new Map((await store.listKeys()).map(({ scopes, lastUsedDay }) => [scopes[0], lastUsedDay]));
    expect(days).toEqual(
      new Map([
        ['read', today()],
        ['write', null],
      ]),
    );
    expect(store.noted).toHaveLength(1);
  });

  test('the day of a key that was found by a refresh of its own is written too', async () => {
    const { cache, store, addKey } = await setUp({ refreshEveryMs: 2 });
    await cache.start();
    const key = await addKey('read');

    await cache.find(key);

    await eventually(async () => expect((await store.listKeys())[0]?.lastUsedDay).toBe(today()));
  });

  test('a day that could not be written is written later', async () => {
    const { cache, store, addKey, database } = await setUp({ refreshEveryMs: 2 });
    const key = await addKey('read');
    await cache.start();
    database.unreachable = /last_used_day = /;
    void cache.find(key);
    await eventually(() => expect(store.noted.length).toBeGreaterThan(1));

    database.unreachable = false;

    await eventually(async () => expect((await store.listKeys())[0]?.lastUsedDay).toBe(today()));
  });
});

describe('the project cache while the store is unreachable', () => {
  test('while the store is unreachable, the project cache keeps the keys it has and cannot check others', async () => {
    const { cache, database, addKey } = await setUp({ refreshEveryMs: 5 });
    const key = await addKey('write');
    await cache.start();

    database.unreachable = true;

    await expect(cache.find('unknown')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(cache.find(key)).toMatchObject({ scopes: ['write'] });
  });

  test('the project cache logs once that the store is unreachable and once that it is back, however often it tried', async () => {
    const { cache, store, lines, database } = await setUp({ refreshEveryMs: 2 });
    await cache.start();
    database.unreachable = true;
    const tried = store.snapshots;
    await eventually(() => expect(store.snapshots).toBeGreaterThan(tried + 3));

    database.unreachable = false;

    await eventually(() => expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']));
  });

  test('the project cache starts while the store is unreachable, and loads once the store is back', async () => {
    const { cache, database, addKey } = await setUp({ refreshEveryMs: 5 });
    const key = await addKey('write');
    database.unreachable = true;
    await cache.start();
    await expect(cache.find(key)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    database.unreachable = false;

    await eventually(async () => expect(await cache.find(key)).toMatchObject({ scopes: ['write'] }));
    expect(cache.find(key)).not.toBeInstanceOf(Promise);
  });

  test('the project cache treats a store that does not answer as unreachable', async () => {
    const { cache, store } = await setUp({ timeoutMs: 10 });
    await cache.start();
    const hang = Promise.withResolvers<void>();
    store.gate = hang.promise;

    await expect(cache.find('unknown')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    store.gate = undefined;
    // A database that is busy may take longer than this cache waits.
    await eventually(async () => expect(await cache.find('unknown')).toBeUndefined());
    hang.resolve();
  });
});

async function setUp(options: ProjectCacheOptions = {}) {
  const lines: { level: string }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as { level: string }) });
  const database = await breakableDatabase();
  const store = new WatchedProjects(database);
  const project = await store.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  const cache = new ProjectCache(store, logger, { minIntervalMs: 0, ...options });
  onTestFinished(() => cache.stop());
  const addKey = async (scope: Scope): Promise<string> => {
    const key = makeKey(scope);
    await store.addKey(project.id, { scopes: [scope], sha256: hashKey(key) });
    return key;
  };
  return { cache, store, database, project, lines, addKey };
}
