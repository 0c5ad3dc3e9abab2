import { describe, expect, test } from 'vitest';
import { beginningOf } from '../../services/event-log/identity.ts';
import { FIRST_TABLES, makeTables } from '../../services/operations/replay/replay.ts';
import type { Database } from '../../services/stores/database/database.ts';
import { LiveGenerations } from '../../services/stores/generations/live-generations.ts';
import { liveProfiles } from '../../services/stores/generations/live-stores.ts';
import { SqlGenerations } from '../../services/stores/generations/sql-generations.ts';
import type { ReaderStep } from '../../services/stores/profiles/profile-store.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { randomIdentity, randomProjectId, randomTopic, randomUserKey } from '../support/messages/random-project.ts';

const FOR_ALL = { kind: 'profiles', projectId: null, rateLimit: null } as const;

/** What the rows of generations must do, on a migrated database that other tests share. */
export function testGenerations(name: string, openDatabase: () => Database): void {
  describe(`generations on ${name}`, () => {
    test('a generation that is being built is made once, and knows what it was made with', async () => {
      const generations = new SqlGenerations(openDatabase());
      const wanted = {
        ...FOR_ALL,
        projectId: randomProjectId(),
        rateLimit: 50,
      };

      const [one, other] = await Promise.all([generations.make(wanted), generations.make(wanted)]);

      expect(one).toMatchObject({ ...wanted, state: 'building', caughtUpAtMs: null });
      expect(other).toEqual(one);
      expect(await generations.find('profiles', one.number)).toEqual(one);
    });

    test("what is written into one is not in another, and a project's own answers for it once it is swapped in", async () => {
      const { database, projectId, userKey, number } = await made(openDatabase());
      await write(database, number, projectId, userKey);
      const live = () => liveProfiles(database, new LiveGenerations(database)).find(projectId, userKey);
      expect(await live()).toBeUndefined();

      await swap(database, projectId, 1, number);

      expect(await live()).toMatchObject({ userId: 'ada' });
      expect(await new LiveGenerations(database).numberOf('profiles')).toBe(1);
    });

    test('a held generation takes no step until it is let go', async () => {
      const { database, number } = await made(openDatabase());
      const generations = new SqlGenerations(database);
      const store = new SqlProfileStore(database, number);
      const step = stepOf(randomTopic());
      await generations.hold('profiles', number, 60_000);

      await expect(store.write([step], [], () => [])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

      await generations.hold('profiles', number, 0);
      await store.write([step], [], () => []);
      expect(await store.positions([step.to])).toEqual([step.to]);
    });

    test('nothing is swapped where the hold is over, or another answers by now', async () => {
      const { database, projectId, number } = await made(openDatabase());
      const generations = new SqlGenerations(database);
      const attempt = () => generations.swap({ kind: 'profiles', projectId, from: 1, to: number }, async () => true);
      await generations.hold('profiles', 1, 0);

      await expect(attempt()).rejects.toMatchObject({ code: 'POSITION_MOVED' });

      await swap(database, projectId, 1, number);
      await generations.hold('profiles', 1, 60_000);
      await expect(attempt()).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      await generations.hold('profiles', 1, 0);
    });

    test('the live one is not dropped; another takes no step any more', async () => {
      const { database, projectId, number } = await made(openDatabase());
      const generations = new SqlGenerations(database);
      await swap(database, projectId, 1, number);

      await expect(generations.beginDrop('profiles', number)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

      await swap(database, projectId, number, 1, true);
      await generations.beginDrop('profiles', number);
      const attempt = new SqlProfileStore(database, number).write([stepOf(randomTopic())], [], () => []);
      await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await generations.endDrop('profiles', number);
      expect(await generations.find('profiles', number)).toMatchObject({ state: 'dropped' });
    });

    test('every table of a generation is emptied where the first is dropped', async () => {
      const { database, number } = await made(openDatabase());
      const tables = await database.query<{ readonly name: string }>(
        `select tablename::text as name from pg_tables where schemaname = $1 and tablename <> 'migrations'`,
        [`profiles_g${number}`],
      );

      const emptied = [...FIRST_TABLES.profiles, ...FIRST_TABLES.analytics, 'applied'];

      expect(tables.map(({ name: table }) => table).toSorted()).toEqual(emptied.toSorted());
    });

    test('shortly after a swap, passed is what both generations have passed', async () => {
      const { database, projectId, number } = await made(openDatabase());
      const step = stepOf(randomTopic());
      const passed = async () => (await new LiveGenerations(database).progress()).projector;
      await database.script(`delete from live_generations where project_id <> ''`);
      await new SqlProfileStore(database, 1).write([step], [], () => []);
      expect(await passed()).toContainEqual(step.to);

      await swap(database, projectId, 1, number);

      expect(await passed()).not.toContainEqual(step.to);
      await new SqlProfileStore(database, number).write([step], [], () => []);
      expect(await passed()).toContainEqual(step.to);
      await swap(database, projectId, number, 1, true);
    });
  });
}

async function made(database: Database) {
  const projectId = randomProjectId();
  const generation = await new SqlGenerations(database).make({ ...FOR_ALL, projectId });
  await makeTables(database, generation);
  return { database, projectId, userKey: randomUserKey(), number: generation.number };
}

async function write(database: Database, number: number, projectId: string, userKey: string): Promise<void> {
  const change = {
    userId: 'ada',
    anonymousId: null,
    sightings: new Map(),
    firstSeen: 1n,
    lastSeen: 1n,
    anonymous: null,
    traits: new Map(),
  };
  await new SqlProfileStore(database, number).write([], [], () => [{ projectId, userKey, ...change }]);
}

async function swap(database: Database, projectId: string, from: number, to: number, asAll = false): Promise<void> {
  const generations = new SqlGenerations(database);
  await generations.hold('profiles', from, 60_000);
  expect(await generations.swap({ kind: 'profiles', projectId, from, to, asAll }, async () => true)).toBe(true);
}

function stepOf(topic: string): ReaderStep {
  const from = beginningOf({ topic, partition: 0 });
  return { from, to: { ...from, offset: 5n, identity: randomIdentity() } };
}
