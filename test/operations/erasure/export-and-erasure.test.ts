/** What a person may ask for (Article 15 of the GDPR) is what is deleted where the person asks for that (Article 17). */
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { answerExport } from '../../../services/api/users/export.ts';
import type { Call } from '../../../services/http/call.ts';
import type { Answer } from '../../../services/http/route.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { ForgettingScene } from './forgetting-scene.ts';

/** As what the export names the rows of each table. A table without a name here is one that the export does not have. */
const EXPORTED_AS: Readonly<Record<string, string>> = {
  users: 'profile',
  profiles: 'profile',
  sightings: 'anonymous_id',
  user_rows: 'profile',
  user_id_rows: 'profile',
  track_rows: 'track',
  user_track_rows: 'track',
  user_event_rows: 'track',
  session_rows: 'session',
  identify_rows: 'identify',
  trait_rows: 'identify',
  user_trait_rows: 'identify',
  sighting_rows: 'anonymous_id',
  sightings_by_anonymous: 'anonymous_id',
  join_rows: 'anonymous_id',
  join_decision_rows: 'anonymous_id',
  trait_value_rows: 'identify',
  audience_changes: 'audience',
  audience_members: 'audience',
  audience_members_by_user: 'audience',
};

const installation = sharedInstallation('embedded');
const scene = new ForgettingScene(installation);

async function exportedOf(projectId: string, userId: string): Promise<readonly string[]> {
  const { database, analytics } = installation();
  const project = await new SqlProjectStore(database).findProject(projectId);
  const profiles = new SqlProfileStore(database);
  const parts = { profiles, analytics, saved: new SqlAudienceStore(database, 10), limitsOf: () => AMPLE };
  const answer = await answerExport(parts, { project } as unknown as Call, userKeyOf(projectId, userId));
  const lines = (await text((answer as Answer).body as unknown as Readable)).trim().split('\n');
  const types = lines.map((line) => (JSON.parse(line) as { readonly type: string }).type);
  return [...new Set(types)].filter((type) => type !== 'end').toSorted();
}

test('the export of a person has whatever the dry run counts and the certificate says was deleted', async () => {
  const shop = await scene.projectWithPeople('Exported');
  await scene.evaluate(shop.projectId, 1_700_000_000_000_000n);
  const exported = await exportedOf(shop.projectId, 'ada');

  const plan = await scene.plan(shop.projectId, ['ada']);
  const { erasures } = await scene.request(shop.projectId, ['ada']);
  await scene.forget();

  const namesOf = ({ postgres, clickhouse }: Pick<typeof plan, 'postgres' | 'clickhouse'>): readonly string[] =>
    Object.keys({ ...postgres, ...clickhouse }).toSorted();
  const names = namesOf(plan);
  expect([...new Set(names.map((name) => EXPORTED_AS[name] ?? `${name} is in no export`))].toSorted()).toEqual(
    exported,
  );
  expect(exported).toEqual(['anonymous_id', 'audience', 'identify', 'profile', 'session', 'track']);
  // That of the anonymous id is another, which came with it.
  const done = await Promise.all(erasures.map(({ id }) => new SqlErasures(installation().database).find(id)));
  const reported = done.flatMap((one) => namesOf(JSON.parse(one?.report ?? '') as typeof plan));
  expect([...new Set(reported)].toSorted()).toEqual(names);
});
