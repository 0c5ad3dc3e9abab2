import { beforeAll, expect, test } from 'vitest';
import { changeOf } from '../../../services/consumers/projector/fold.ts';
import { compareProfiles } from '../../../services/operations/replay/compare-profiles.ts';
import { makeTables } from '../../../services/operations/replay/replay.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { SqlGenerations } from '../../../services/stores/generations/sql-generations.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const MOST = 2;
const database = sharedDatabase();

beforeAll(async () => {
  const made = { kind: 'profiles', projectId: null, rateLimit: null } as const;
  await makeTables(database(), await new SqlGenerations(database()).make(made));
});

/** The live generation has all traits of two users, as before there was a bound; the new one has the newest two. */
async function compared(also: string, idAlso: readonly string[] = []) {
  const projectId = randomProjectId();
  const said = ['ada', 'bob'].flatMap((userId) =>
    ['{"a":1,"b":null,"c":3}', '{"d":4}', '{"e":5}'].map((traits) =>
      identify({ projectId, userId, anonymousId: 'a', traits }),
    ),
  );
  for (const [generation, maxTraits] of [
    [1, 10],
    [2, MOST],
  ] as const) {
    const store = new SqlProfileStore(database(), generation, { maxTraits });
    for (const message of said) await store.write([], [], () => [changeOf(message)]);
  }
  await database().query(`update profiles set traits = traits || $2::text::jsonb where project_id = $1`, [
    projectId,
    also,
  ]);
  for (const id of idAlso) {
    await database().query('update sightings set anonymous_id = $2 where project_id = $1', [projectId, id]);
  }
  const parts = { log: new MemoryLog(), codec, database: database(), analytics: {} as AnalyticsStore };
  const pair = { live: 1, fresh: 2, projectId, except: [] };
  return compareProfiles({ ...parts, signal: new AbortController().signal, onStep: () => undefined }, pair, MOST);
}

test('a profile of before there was a bound equals the one that a replay makes', async () => {
  expect(await compared('{}')).toMatchObject({ equal: 2, different: 0 });
});

test('it does not where a trait that is kept has another value', async () => {
  expect(await compared('{"e":6}')).toMatchObject({ equal: 0, different: 2 });
});

test('a profile with another anonymous id beside its user id is found different', async () => {
  expect(await compared('{}', ['b'])).toMatchObject({ equal: 0, different: 2 });
});

test('anonymous ids of a generation from before they were sightings are not compared', async () => {
  const before = { topic: 'tidemark.track', partition: 0 };
  await database().query(
    `insert into reader_positions (topic, partition, counted_from, next_offset, identity, lacks_sightings)
     values ($1, $2, 0, 0, '', true)`,
    [before.topic, before.partition],
  );
  try {
    expect(await compared('{}', ['b'])).toMatchObject({ equal: 2, different: 0 });
  } finally {
    await database().script('delete from reader_positions');
  }
});
