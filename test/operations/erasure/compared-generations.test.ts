import { expect, test } from 'vitest';
import { compareAnalytics } from '../../../services/operations/replay/compare-analytics.ts';
import { compareProfiles } from '../../../services/operations/replay/compare-profiles.ts';
import { Replay } from '../../../services/operations/replay/replay.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { tableOf } from '../../../services/stores/generations/generation.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { insert } from '../../support/stores/analytics.ts';
import { ForgettingScene, SILENT } from './forgetting-scene.ts';

const installation = sharedInstallation('embedded');
const scene = new ForgettingScene(installation);

test('generations are the same while somebody is forgotten in one of them and not yet in the other', async () => {
  const shop = await scene.projectWithPeople('Compared');
  const { projectId } = shop;
  const { database, analytics } = installation();
  const replay = new Replay(installation());
  const profiles = await replay.make({ kind: 'profiles', projectId: null }, undefined);
  const rows = await replay.make({ kind: 'analytics', projectId: null }, undefined);
  const built = await analytics.ofGeneration(rows.number);
  await scene.request(projectId, ['ada']);
  // As readers do that do not know of it yet.
  await database.query(
    `insert into ${tableOf('profiles', profiles.number, 'users')} (project_id, user_key, user_id, first_seen, last_seen)
     values ($1, $2, 'ada', 0, 0)`,
    [projectId, userKeyOf(projectId, 'ada')],
  );
  await database.query(
    `insert into ${tableOf('profiles', profiles.number, 'users')} select * from users where project_id = $1`,
    [projectId],
  );
  await insert(built, [shop.track(), shop.identify(), shop.session()]);
  const parts = { ...installation(), ...SILENT, onStep: () => undefined };
  const pairOf = (fresh: number) => ({ live: 1, fresh, projectId, except: [] });

  const users = await compareProfiles(parts, pairOf(profiles.number));
  const compared = await compareAnalytics(parts, pairOf(rows.number));
  const extra = compared.map((one) => one.extra);

  expect(users).toMatchObject({ extra: 0 });
  expect(extra).toEqual(compared.map(() => 0));
  await scene.forget();
  await insert(built, [shop.track({ userId: 'carl' })]);
  const withCarl = await compareAnalytics(parts, pairOf(rows.number));
  expect(withCarl.map((one) => one.extra)).not.toEqual(extra);
  for (const made of [profiles, rows]) await replay.drop(made.kind, made.number, SILENT.signal);
});
