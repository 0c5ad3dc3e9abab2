import { expect, onTestFinished, test } from 'vitest';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { versionOf } from '../../../services/messages/version.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { someone } from '../../contract/profile-store.ts';
import { openEmptyDatabase } from '../../support/stores/new-stores.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';

/** The last migration before there were sightings. */
const BEFORE = 42;

test('anonymous ids from before are kept behind all sightings, until a message gives them again', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());
  await migrateDatabase(database, await migrationsUpTo(BEFORE));
  const { change, write } = someone(database, 1);
  const { projectId, userKey } = change({});
  const rows = ['a', 'b'].map((id) => `('${projectId}', '${userKey}', '${id}', 5)`);
  await database.script(
    `insert into anonymous_ids (project_id, user_key, anonymous_id, last_seen) values ${rows.join()}`,
  );

  await migrateDatabase(database);
  await write({
    userId: 'ada',
    sightings: new Map([
      ['b', versionOf(7n, 7n, 0)],
      ['c', versionOf(8n, 8n, 0)],
    ]),
  });

  const seenWith = async () => (await new SqlProfileStore(database).findWhole(projectId, userKey))?.seenWith;
  const [c, b] = [
    { anonymousId: 'c', firstSeen: 8n },
    { anonymousId: 'b', firstSeen: 7n },
  ];
  expect(await seenWith()).toEqual([{ anonymousId: 'a', firstSeen: null }, c, b]);

  const others = Array.from({ length: 98 }, (_, n): [string, string] => [
    `id-${n}`,
    versionOf(9n + BigInt(n), 999n, 0),
  ]);
  await write({ userId: 'ada', sightings: new Map(others) });

  expect((await seenWith())?.slice(-2)).toEqual([c, b]);
  expect(await seenWith()).toHaveLength(100);
});
