import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClickHouseStore } from '../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { tableOf } from '../../services/stores/generations/generation.ts';
import { liveNumberOf } from '../../services/stores/generations/sql-generations.ts';
import { numberOf } from './check/check-log.ts';
import { embeddedScene } from './embedded-scene.ts';
import { Findings, type Kind } from './check/findings.ts';
import type { LoggedMessage } from './check/model.ts';
import type { Scene } from './scene.ts';
import { summaryOf } from './check/summary.ts';
import { type Finished, torture } from './torture.ts';
import { compareStores } from './check/compare-stores.ts';

const RUN = {
  seed: 7,
  forMs: 5_000,
  kills: 2,
  others: 6,
  lanes: 9,
  pauseMs: 20,
  quietSpeed: 0.02,
  answered: 400,
  replays: true,
  live: true,
  // It takes minutes until everybody is forgotten.
  forgetting: false,
  restoredForMs: 0,
  say: () => undefined,
};

let scene: Scene;
let finished: Finished;

beforeAll(async () => {
  scene = await embeddedScene();
  finished = await torture(scene, RUN);
}, 900_000);
afterAll(() => scene?.close());

test('one process under kills and other faults loses nothing, doubles nothing, and both stores are as the model', () => {
  const { report } = finished;
  expect(report.findings.kinds, summaryOf(report)).toEqual([]);
  expect(report.faults['kill']).toBe(RUN.kills);
  expect(Math.min(report.replays.profiles, report.replays.analytics)).toBeGreaterThan(0);
  expect(report.compared.generations.length).toBeGreaterThanOrEqual(4);
  expect(report.messages.answered).toBeGreaterThanOrEqual(RUN.answered);
  expect(report.compared.users).toBeGreaterThan(60);
  expect(report.compared.events).toBeGreaterThan(50);
});

// From here on the live generations are damaged, one after another.

test('a message that is missing on the log is found out', async () => {
  let dropped: number | undefined;
  const kinds = await kindsFound(({ topic, content }) => {
    const n = numberOf({ content });
    if (n === undefined || topic !== 'tidemark.track' || finished.load.ledger.outcome(n) !== 'answered') return false;
    // Its later copies too: one that was sent again after a kill may be there twice.
    dropped ??= n;
    return n === dropped;
  });

  expect(kinds).toContain('lost from the log');
  expect(kinds).toContain('different in ClickHouse');
});

test('a trait that Postgres has wrong is found out', async () => {
  const database = await openDatabase(scene.stores.PROFILES_URL);
  const profiles = tableOf('profiles', await liveNumberOf(database, 'profiles', null), 'profiles');
  await database.query(
    `update ${profiles} set traits = traits || '{"n": 0.5}' where user_key = (select min(user_key) from ${profiles})`,
  );
  await database.close();

  expect(await kindsFound()).toEqual(['different in Postgres']);
});

test('an event that ClickHouse lacks is found out', async () => {
  await inAnalytics(`ALTER TABLE track_rows DELETE WHERE (project_id, user, message_id) IN
    (SELECT project_id, user, message_id FROM user_track_rows ORDER BY ALL LIMIT 1) SETTINGS mutations_sync = 2`);

  expect(await kindsFound()).toContain('missing in ClickHouse');
});

test('an event that ClickHouse has twice is found out', async () => {
  await inAnalytics(`INSERT INTO track_rows
    SELECT * REPLACE (concat(message_id, ' again') AS message_id, message_number + 1 AS message_number) FROM track_rows WHERE event = 'page' ORDER BY project_id, user, message_id LIMIT 1`);

  expect(await kindsFound()).toContain('doubled in ClickHouse');
});

test('a trait that ClickHouse has wrong is found out', async () => {
  const before = await found();
  await inAnalytics(`INSERT INTO trait_rows
    SELECT * REPLACE ('"other"' AS value, version + 1 AS version) FROM trait_rows FINAL WHERE kind != 'deleted'
    ORDER BY project_id, trait, user LIMIT 1`);

  const after = await found();
  // The trait, and the profile that it is in.
  const more = after.count('different in ClickHouse') - before.count('different in ClickHouse');
  expect(more, JSON.stringify({ before, after }, null, 1)).toBe(2);
});

async function found(drop?: (message: LoggedMessage) => boolean): Promise<Findings> {
  const findings = new Findings();
  await compareStores(finished.load, scene.stores, findings, drop ? { drop } : {});
  return findings;
}

async function kindsFound(drop?: (message: LoggedMessage) => boolean): Promise<readonly Kind[]> {
  return (await found(drop)).kinds;
}

async function inAnalytics(sql: string): Promise<void> {
  const database = await openDatabase(scene.stores.PROFILES_URL);
  const number = await liveNumberOf(database, 'analytics', null);
  await database.close();
  const analytics = await openAnalytics(scene.stores.ANALYTICS_URL);
  await ((await analytics.ofGeneration(number)) as ClickHouseStore).define(sql, {});
  await analytics.close();
}
