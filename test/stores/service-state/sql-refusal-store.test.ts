import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import type { CountedRefusals, ListedRefusals } from '../../../services/stores/service-state/refusal-store.ts';
import { SqlRefusalStore } from '../../../services/stores/service-state/sql-refusal-store.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();

describe.each(DATABASES)('on $name', ({ name, share }) => testRefusals(name, share()));

function counted(changes: Partial<CountedRefusals> = {}): CountedRefusals {
  return {
    projectId: 'proj_1',
    keyId: 'key_1',
    path: '/v1/track',
    code: 'invalid-body',
    pointer: '/event',
    count: 1,
    firstAtMs: NOW_MS,
    lastAtMs: NOW_MS,
    message: 'must be string',
    example: '{"event":7}',
    userAgent: 'sdk/1',
    ...changes,
  };
}

function testRefusals(name: string, database: () => Database): void {
  let store: SqlRefusalStore;
  beforeEach(async () => {
    await database().script('truncate refusals');
    store = new SqlRefusalStore(database());
  });

  async function all(projectId = 'proj_1'): Promise<readonly ListedRefusals[]> {
    return store.list(projectId, 10_000);
  }

  test(`${name} adds the counts of a group up, over days too, and keeps its newest example`, async () => {
    await store.add([counted({ count: 3 }), counted({ keyId: 'key_2' })]);
    await store.add([counted({ count: 2, message: 'newer', example: '🛍"\\' })]);
    await store.add([counted({ lastAtMs: NOW_MS - DAY_MS, firstAtMs: NOW_MS - DAY_MS, example: 'old' })]);
    await store.add([counted({ example: null })]);

    const [one, two] = (await all()).toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));

    expect(one).toMatchObject({ ...counted({ count: 7, firstAtMs: NOW_MS - DAY_MS }), example: '🛍"\\' });
    expect(two).toMatchObject(counted({ keyId: 'key_2' }));
    expect(structuredClone(one)).toEqual(one);
    expect(await all('proj_2')).toEqual([]);
  });

  test(`${name} tells how many there were today by code, and keeps the causes of those without a project apart`, async () => {
    const strangers = Array.from({ length: 1_200 }, (_, n) =>
      counted({ projectId: '', keyId: `${n}…`, code: n % 2 === 0 ? 'unauthorized' : 'not-found', count: 2 }),
    );
    await store.add(strangers);
    await store.add([counted({ projectId: '', lastAtMs: NOW_MS - DAY_MS, code: 'not-found' })]);

    expect(await store.today('')).toEqual({ unauthorized: 1_200, 'not-found': 1_200 });
    expect((await all('')).length).toBeLessThanOrEqual(1_003);
    expect((await all('')).map(({ code }) => code)).not.toContain('other');
  });

  test(`${name} lists pages, what was refused last first`, async () => {
    const groups = Array.from({ length: 7 }, (_, n) =>
      counted({ pointer: `/m${n}`, lastAtMs: NOW_MS + Math.floor(n / 2) }),
    );
    await store.add(groups);
    const whole = await all();

    const first = await store.list('proj_1', 3);
    const second = await store.list('proj_1', 3, first.at(-1));
    const third = await store.list('proj_1', 3, second.at(-1));

    expect(whole.map(({ lastAtMs }) => lastAtMs - NOW_MS)).toEqual([3, 2, 2, 1, 1, 0, 0]);
    expect([...first, ...second, ...third]).toEqual(whole);
  });

  test(`${name} keeps 1,000 groups a project and day, and counts what is beyond in one`, async () => {
    const many = (from: number): CountedRefusals[] =>
      Array.from({ length: 800 }, (_, n) => counted({ pointer: `/m${from + n}` }));
    await store.add(many(0));
    await store.add(many(800));
    await store.add([...many(1_600), counted({ pointer: '/m0', count: 5 })]);
    await store.add([counted({ projectId: 'proj_2' })]);

    const groups = await all();

    expect(groups).toHaveLength(1_001);
    expect(groups.find(({ code }) => code === 'other')).toMatchObject({ count: 1_400, path: '', example: null });
    expect(groups.find(({ pointer }) => pointer === '/m0')).toMatchObject({ count: 6 });
    expect(await all('proj_2')).toHaveLength(1);
  });

  test(`${name} lists and keeps nothing of more than 30 days ago`, async () => {
    const ago = (days: number): Partial<CountedRefusals> => ({
      lastAtMs: NOW_MS - days * DAY_MS,
      pointer: `/d${days}`,
    });
    await store.add([counted(ago(29)), counted(ago(30)), counted(ago(31))]);
    expect((await all()).map(({ pointer }) => pointer)).toEqual(['/d29']);

    await store.deleteOld();

    const rows = await database().query<{ pointer: string }>('select pointer from refusals');
    expect(rows.map(({ pointer }) => pointer)).toEqual(['/d29']);
  });
}
