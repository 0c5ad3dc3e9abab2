import { describe, expect, test } from 'vitest';
import { Replay } from '../../../services/operations/replay/replay.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { Progress } from '../../../services/runtime/command.ts';
import { tableOf } from '../../../services/stores/generations/generation.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { ForgettingScene, SILENT } from './forgetting-scene.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { ask, insert } from '../../support/stores/analytics.ts';

describe.each(await testedForms())('people who are forgotten, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  const scene = new ForgettingScene(installation);

  test('a person is in no row of any table, and others are whole', async () => {
    const shop = await scene.projectWithPeople('Everything of a person');
    const texts = [scene.mark, scene.email, userKeyOf(shop.projectId, 'ada')];
    expect((await scene.tablesWith(texts)).toSorted()).toEqual(expect.arrayContaining([...FOUND_IN]));
    const others = await scene.rowsOf(shop.projectId, 'ben');

    const answer = await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    expect(answer).toMatchObject({ shared: [], unknown: [] });
    expect(await scene.tablesWith([scene.mark, scene.email])).toEqual([]);
    expect(await scene.tablesWith(texts)).toEqual(['erasures']);
    expect(await scene.rowsOf(shop.projectId, 'ada')).toEqual({});
    expect(await scene.rowsOf(shop.projectId, 'ben')).toEqual(others);
  });

  test('a person is read and counted no more once that was asked for, before any row is rewritten', async () => {
    const shop = await scene.projectWithPeople('At once');
    const { projectId } = shop;
    await scene.evaluate(projectId, 1_700_000_000_000_000n);

    await scene.request(projectId, ['ada']);

    const profiles = new SqlProfileStore(installation().database);
    expect(await profiles.find(projectId, userKeyOf(projectId, 'ada'))).toBeUndefined();
    expect(await scene.rowsOf(projectId, 'ada')).toEqual({});
    const count = (sql: string) => ask(installation().analytics, sql, { p: projectId });
    expect(await count('SELECT count() AS n FROM users WHERE project_id = {p:String}')).toEqual([{ n: '1' }]);
    const catalog = 'SELECT event, count() AS n FROM track_rows WHERE project_id = {p:String} GROUP BY event';
    expect(await count(catalog)).toEqual([{ event: 'Order Completed', n: '1' }]);
    const members = `SELECT count() AS n FROM audience_members FINAL WHERE project_id = {p:String} AND change = 'entered'`;
    expect(await count(members)).toEqual([{ n: '1' }]);
    const changes = 'SELECT count() AS n FROM audience_changes WHERE project_id = {p:String}';
    expect(await count(changes)).toEqual([{ n: '1' }]);
  });

  test('nobody leaves an audience by being forgotten', async () => {
    const shop = await scene.projectWithPeople('Nobody leaves');
    await scene.evaluate(shop.projectId, 1_700_000_000_000_000n);
    await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    const found = await scene.evaluate(shop.projectId, 1_800_000_000_000_000n);

    expect(found).toEqual({ entered: 0, left: 0, members: 1 });
  });

  test('what comes of a person later is dropped, also by an import, until that is lifted', async () => {
    const shop = await scene.projectWithPeople('Later messages');
    const { erasures } = await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    await installation().append([shop.identify({ traits: `{"email":"${scene.email}"}` }), shop.track()]);
    const imported = [shop.identify({ traits: `{"email":"${scene.email}"}` })];
    await installation().append(imported, () => 'tidemark.import-identify');
    await installation().readAll();
    expect(await scene.tablesWith([scene.email])).toEqual([]);

    const lifted = await new SqlErasures(installation().database).lift(erasures[0]?.id ?? '');
    expect(lifted).toMatchObject({ suppress: false, state: 'done' });
    const cut = lifted?.cut ?? 0n;
    await installation().append([shop.track({ receivedAt: cut }), shop.track({ receivedAt: cut + 1n })]);
    await installation().readAll();
    expect((await scene.rowsOf(shop.projectId, 'ada'))['track_rows']).toBe(1);
    const profiles = new SqlProfileStore(installation().database);
    expect(await profiles.find(shop.projectId, userKeyOf(shop.projectId, 'ada'))).toBeDefined();
  });

  test('nobody who was forgotten comes back by reading the log from its start', async () => {
    const shop = await scene.projectWithPeople('Replayed');
    await scene.request(shop.projectId, ['ada']);
    await scene.forget();
    const { database, analytics } = installation();
    await database.query('truncate users, profiles, sightings, applied_counts, reader_positions, sink_plans, applied');
    await analytics.dropGeneration(1);

    await installation().readAll();

    expect(await scene.rowsOf(shop.projectId, 'ada')).toEqual({});
    expect(await scene.tablesWith([scene.mark, scene.email])).toEqual([]);
    expect(Object.keys(await scene.rowsOf(shop.projectId, 'ben'))).toContain('track_rows');
  });

  test('a person is deleted from every generation that is built', async () => {
    const shop = await scene.projectWithPeople('In generations');
    const { database, analytics } = installation();
    const replay = new Replay(installation());
    const profiles = await replay.make({ kind: 'profiles', projectId: null }, undefined);
    const rows = await replay.make({ kind: 'analytics', projectId: null }, undefined);
    const users = tableOf('profiles', profiles.number, 'users');
    await database.query(
      `insert into ${users} (project_id, user_key, user_id, first_seen, last_seen)
       select project_id, user_key, user_id, first_seen, last_seen from users where project_id = $1`,
      [shop.projectId],
    );
    const built = await analytics.ofGeneration(rows.number);
    await insert(built, [shop.track({ properties: `{"note":"${scene.mark}"}` })]);

    await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    const sql = 'SELECT count() AS n FROM track_rows WHERE project_id = {p:String}';
    expect(await ask(built, sql, { p: shop.projectId })).toEqual([{ n: '0' }]);
    const left = await database.query(`select user_id from ${users} where project_id = $1`, [shop.projectId]);
    expect(left).toEqual([{ user_id: 'ben' }]);
    for (const made of [profiles, rows]) await replay.drop(made.kind, made.number, SILENT.signal);
  });

  test('what a reader wrote that did not know of the erasure yet goes too', async () => {
    const shop = await scene.projectWithPeople('Read unknowing');
    await scene.request(shop.projectId, ['ada']);
    const unknowing: Promise<void>[] = [];
    const report = (progress: Progress): void => {
      const isPausing = progress['phase'] === 'waiting for the readers';
      if (isPausing && unknowing.length === 0)
        unknowing.push(insert(installation().analytics, [shop.track({ properties: `{"note":"${scene.mark}"}` })]));
    };

    await scene.forget({ ...SILENT, report }, 5_000);

    expect(unknowing).toHaveLength(1);
    await Promise.all(unknowing);
    expect(await scene.tablesWith([scene.mark])).toEqual([]);
  });
});

/** Where the marked texts of a person are before. */
const FOUND_IN = [
  'dead_letters',
  'profiles',
  'refusals',
  'repeats',
  'settled_dead_letters',
  'track_rows',
  'trait_rows',
  'trait_value_rows',
  'user_id_rows',
  'user_rows',
  'user_track_rows',
  'user_trait_rows',
  'users',
];
