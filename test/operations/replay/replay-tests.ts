import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { SqlGenerations } from '../../../services/stores/generations/sql-generations.ts';
import { ask } from '../../support/stores/analytics.ts';
import { newStores, type StoreUrls } from '../../support/stores/new-stores.ts';
import { identify, track } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { ReplayScene } from '../../support/service/replay-scene.ts';

const USERS = 500;

// Readers of two generations may be behind.
const SOON = { timeout: 60_000 };

export interface Installed {
  readonly settings: StoreUrls;
  drop(): Promise<void>;
}

export async function embedded(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  return { settings: await newStores(folder), drop: () => rm(folder, { recursive: true, force: true }) };
}

export function testReplay(name: string, install: () => Promise<Installed | undefined>): void {
  describe(`replay on ${name}`, () => {
    const [shop, other] = [randomProjectId(), randomProjectId()];
    let installed: Installed | undefined;
    let scene: ReplayScene;

    beforeAll(async () => {
      installed = await install();
      if (installed === undefined) throw new Error('it cannot be installed');
      scene = await ReplayScene.open(installed.settings);
      for (const id of [shop, other]) {
        await scene.database.query(
          `insert into projects (id, name, timezone, session_secret, created_at_ms) values ($1, 'x', 'UTC', $2, 0)`,
          [id, new Uint8Array(32)],
        );
      }
      scene.startReaders();
      for (const projectId of [shop, other]) {
        const people = Array.from({ length: USERS }, (_, index) => `u${index}`);
        await scene.append(
          people.map((userId) =>
            identify({ projectId, userId, anonymousId: `dev-${userId}`, traits: '{"plan":"pro","gone":null}' }),
          ),
        );
        await scene.append(people.map((userId) => track({ projectId, userId, event: 'Bought' })));
      }
      await scene.hasRead('profiles', 1);
      await scene.hasRead('analytics', 1);
    }, 300_000);
    afterAll(async () => {
      await scene?.close();
      await installed?.drop();
    });

    const eventsOf = async (projectId: string, userId: string): Promise<number> =>
      (await scene.live.analytics.userEvents({ projectId, userKey: userKeyOf(projectId, userId), limit: 1_000 }))
        .length;
    const profileOf = (projectId: string, userId: string) =>
      scene.live.profiles.find(projectId, userKeyOf(projectId, userId));

    test(
      'what is read anew while messages arrive is the same, and nothing is called different that is not',
      { timeout: 300_000 },
      async () => {
        scene.startPosting(shop);

        const profiles = await scene.build('profiles');
        const analytics = await scene.build('analytics');
        await scene.stopPosting();

        expect(profiles).toMatchObject({ number: 2, same: true, comparison: [{ what: 'profiles', different: 0 }] });
        expect(analytics.comparison).toMatchObject(
          ['events', 'sessions', 'identifies', 'events by user', 'traits', 'users', 'sightings'].map((what) => ({
            what,
            different: 0,
            missing: 0,
            extra: 0,
          })),
        );
        // What is named all the time while it is compared may stay undecided, on a busy machine more of it.
        for (const { undecided, equal } of [...profiles.comparison, ...analytics.comparison])
          expect(undecided).toBeLessThan(equal);
        const traits = analytics.comparison.find(({ what }) => what === 'traits');
        for (const { undecided = 0, equal = 0 } of [profiles.comparison[0] ?? {}, traits ?? {}])
          expect(equal + undecided).toBeGreaterThanOrEqual(2 * USERS);
      },
    );

    test('what the live stores have lost is found and named, and the swap heals it', { timeout: 300_000 }, async () => {
      // A message of theirs that is still to be read would make them anew, in part.
      await Promise.all([scene.hasRead('profiles', 1), scene.hasRead('analytics', 1)]);
      const [lost, changed] = [userKeyOf(shop, 'u7'), userKeyOf(shop, 'u8')];
      await scene.database.query('delete from users where project_id = $1 and user_key = $2', [shop, lost]);
      await scene.database.query(`update profiles set traits = '{}' where project_id = $1 and user_key = $2`, [
        shop,
        changed,
      ]);
      const his = `project_id = '${shop}' AND user = toUInt128('${userNumber(lost)}')`;
      for (const table of ['track_rows', 'trait_rows', 'user_track_rows', 'sighting_rows'])
        await scene.deleteRows(table, his);
      scene.startPosting(other);

      const profiles = await scene.build('profiles');
      const analytics = await scene.build('analytics');
      await scene.swap('profiles');
      await scene.swap('analytics');
      await scene.stopPosting();

      expect(profiles).toMatchObject({ number: 2, same: false });
      expect(profiles.comparison).toMatchObject([{ extra: 1, different: 1, missing: 0 }]);
      expect(profiles.comparison[0]?.sample.toSorted()).toEqual([`different: ${shop} u8`, `extra: ${shop} u7`]);
      const found = Object.fromEntries(
        analytics.comparison.map(({ what, different, extra }) => [what, different + extra]),
      );
      expect(found).toMatchObject({ traits: 1, sightings: 1, users: 0, sessions: 0 });
      expect(found['events']).toBeGreaterThan(0);
      expect(found['events by user']).toBeGreaterThan(0);
      await expect.poll(async () => (await profileOf(shop, 'u7'))?.userId, SOON).toBe('u7');
      expect((await profileOf(shop, 'u8'))?.traits).toContain('pro');
      await expect.poll(() => eventsOf(shop, 'u7'), SOON).toBeGreaterThan(0);
      const view = `SELECT count() AS n FROM events WHERE ${his}`;
      expect(await ask(scene.analytics, view)).not.toEqual([{ n: '0' }]);
      expect(await scene.status()).toMatchObject(
        ['analytics', 'profiles'].flatMap((kind) => [
          { kind, number: 1, state: 'former', answers: [] },
          { kind, number: 2, state: 'live', answers: ['all'] },
        ]),
      );
    });

    test(
      'the one before goes on being fed: going back loses nothing, and so does going forth again',
      { timeout: 300_000 },
      async () => {
        await scene.append([identify({ projectId: shop, userId: 'late' }), track({ projectId: shop, userId: 'late' })]);

        for (const [from, to] of [
          [2, 1],
          [1, 2],
        ]) {
          for (const kind of ['profiles', 'analytics'] as const) {
            expect(await scene.run('rollback', { kind })).toMatchObject({ from, to });
          }
          await expect.poll(async () => (await profileOf(shop, 'late'))?.userId, SOON).toBe('late');
          await expect.poll(() => eventsOf(shop, 'late'), SOON).toBe(1);
        }
      },
    );

    test('one that is interrupted goes on where it was', { timeout: 300_000 }, async () => {
      const stop = new AbortController();
      const read: number[] = [];
      const report = (progress: { readonly done: number; readonly phase?: unknown }): void => {
        if (progress.phase !== 'reading') return;
        read.push(progress.done);
        if (progress.done > 0) stop.abort();
      };
      const attempt = scene.commands.build({ kind: 'profiles', rate: 500 }, { report, signal: stop.signal });
      await expect(attempt).rejects.toThrow();
      await scene.restartReaders();
      const before = read.at(-1) ?? 0;
      const again: number[] = [];

      const built = await scene.commands.build(
        { kind: 'profiles', rate: null },
        {
          report: ({ done, phase }) => void (phase === 'reading' && again.push(done)),
          signal: new AbortController().signal,
        },
      );

      expect(built).toMatchObject({ number: 3, same: true });
      expect(before).toBeGreaterThan(0);
      expect(again[0]).toBeGreaterThanOrEqual(before);
      const named = { kind: 'profiles', number: 3 } as const;
      expect(await scene.commands.changeRate(named, 500)).toMatchObject({ ...named, rate_limit: 500 });
      expect(await scene.run('compare', named)).toMatchObject({ ...named, same: true });
      await scene.commands.changeRate(named, null);
      await expect(scene.run('compare', { ...named, number: 99 })).rejects.toThrow('no generation 99');
    });

    test("one project's own answers for it alone", { timeout: 300_000 }, async () => {
      await scene.build('analytics', other);
      await scene.swap('analytics', other);
      await scene.build('profiles', other);
      await scene.swap('profiles', other);

      const status = (await scene.status()).filter(({ answers }) => answers.length > 0);
      expect(status).toMatchObject([
        { kind: 'analytics', number: 2, answers: ['all'] },
        { kind: 'analytics', number: 3, project: other, answers: [other] },
        { kind: 'profiles', number: 2, answers: ['all'] },
        { kind: 'profiles', number: 4, project: other, answers: [other] },
      ]);
      expect(await ask(await scene.analytics.ofGeneration(3), 'SELECT DISTINCT project_id AS p FROM users')).toEqual([
        { p: other },
      ]);
      await expect.poll(() => eventsOf(other, 'u1'), SOON).toBeGreaterThan(0);
      const users = await ask<{ n: string }>(scene.analytics, 'SELECT uniqExact(project_id) AS n FROM users');
      expect(users).toEqual([{ n: '2' }]);
      await scene.run('rollback', { kind: 'profiles', project: other });
      expect((await scene.status()).find(({ number, kind }) => kind === 'profiles' && number === 4)).toMatchObject({
        state: 'former',
      });
    });

    test('only what is not live is dropped, and takes its place with it', { timeout: 300_000 }, async () => {
      await expect(scene.run('drop', { kind: 'profiles', number: 2 })).rejects.toMatchObject({
        code: 'COMMAND_INVALID',
      });

      await scene.run('drop', { kind: 'profiles', number: 1 });
      await scene.run('drop', { kind: 'profiles', number: 3 });
      await scene.run('drop', { kind: 'analytics', number: 1 });

      expect(await scene.database.query('select count(*)::int4 as n from users')).toEqual([{ n: 0 }]);
      const schemas = `select count(*)::int4 as n from pg_namespace where nspname = 'profiles_g3'`;
      expect(await scene.database.query(schemas)).toEqual([{ n: 0 }]);
      expect((await profileOf(shop, 'u8'))?.userId).toBe('u8');
      expect(await eventsOf(shop, 'u8')).toBeGreaterThan(0);
      await expect(scene.run('rollback', { kind: 'profiles' })).rejects.toMatchObject({
        code: 'COMMAND_INVALID',
      });
    });

    test.each(['profiles', 'analytics'] as const)(
      'one of %s that has no tables yet is shown as one that has read nothing, and can be dropped',
      async (kind) => {
        // As where whoever made it was ended before they were made.
        const { number } = await new SqlGenerations(scene.database).make({
          kind,
          projectId: null,
          rateLimit: null,
        });

        const shown = (await scene.status()).find((one) => one.kind === kind && one.number === number);

        expect(shown).toMatchObject({ state: 'building', messages: 0 });
        expect(shown?.behind).toBeGreaterThan(0);
        await scene.run('drop', { kind, number });
        await expect(scene.status()).resolves.toContainEqual(
          expect.objectContaining({ kind, number, state: 'dropped' }),
        );
      },
    );
  });
}
