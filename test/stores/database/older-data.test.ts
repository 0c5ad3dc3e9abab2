/** The service opens what version 0.3.0 has migrated, and nothing that is older. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { lastBackup } from '../../../services/operations/backup/last-backup.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { lastVerification } from '../../../services/operations/verify/last-verification.ts';
import { keptHours } from '../../../services/operations/verify/verification-hours.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase, refuseOlder } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { SettledDeadLetters } from '../../../services/operations/dead-letters/settled-dead-letters.ts';
import { EVERYBODY } from '../../../services/stores/erasures/erased-users.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { deleteProject } from '../../../services/stores/projects/delete-project.ts';
import { unstoredMessages } from '../../../services/stores/profiles/unstored-messages.ts';
import { serverUrl } from '../../servers/server.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { openEmptyDatabase } from '../../support/stores/new-stores.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';

/** The last migrations of versions 0.2 and 0.3.0. */
const [OF_0_2, OF_0_3] = [8, 39];

async function expectRefusal(database: Database): Promise<void> {
  await refuseOlder(database);
  await migrateDatabase(database, await migrationsUpTo(OF_0_2));

  await expect(refuseOlder(database)).rejects.toMatchObject({
    code: 'STORE_FOREIGN',
    message: expect.stringContaining('start version 0.3.0 once, then this version'),
  });

  await migrateDatabase(database, await migrationsUpTo(OF_0_3));
  await refuseOlder(database);
}

test('PGlite of version 0.2 is not opened, one of version 0.3.0 and a new one are', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());

  await expectRefusal(database);
});

test('the last backups and the last verification of version 0.3.0 are those of their jobs, and nothing old is taken up', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());
  await migrateDatabase(database, await migrationsUpTo(OF_0_3));
  const backup = (folder: string) => JSON.stringify({ folder, number: 1, took_ms: 10 });
  const missing = { postgres: { count: 0, uncounted: 0 }, clickhouse: { count: 1 } };
  const report = { missing, surplus: { postgres: 0, clickhouse: { count: 0 } }, took_ms: 5 };
  await database.query(
    `insert into jobs (id, kind, args, principal, state, result, owner, created_at_ms, finished_at_ms, heartbeat_at_ms)
     values ('job_1', 'backup', '{"folder":"/kept"}', 'service', 'done', $1, '', 20, 31, 0),
            ('job_2', 'verify', '{}', 'local', 'interrupted', null, '', 1, 2, 0)`,
    [backup('/kept')],
  );
  const backups = `insert into backups (folder, begun_at_ms, finished_at_ms, result) values ('/kept', 20, 30, $1), ('/old', 40, 50, $2)`;
  await database.query(backups, [backup('/kept'), backup('/old')]);
  await database.query('insert into verifications (begun_at_ms, finished_at_ms, report) values (60, 70, $1)', [
    JSON.stringify(report),
  ]);
  await database.script(`insert into verification_hours (verification, hour_ms, project_id, is_equal, report)
                         values ('last', 0, 'one', true, '{}'), ('job_2', 0, 'one', true, '{}')`);

  await migrateDatabase(database);

  expect(await lastBackup(database, '/kept')).toMatchObject({ finishedAtMs: 31, result: { folder: '/kept' } });
  expect(await lastBackup(database, '/old')).toMatchObject({
    finishedAtMs: 50,
    result: { folder: '/old', took_ms: 10 },
  });
  const last = await lastVerification(database);
  expect(last).toMatchObject({ finishedAtMs: 70, report });
  expect(await keptHours(database, { verification: last?.id ?? '' }, 9)).toEqual([{}]);
  const jobs = new SqlJobStore(database);
  expect((await jobs.list(9)).map(({ kind, state }) => [kind, state])).toEqual([
    ['verify', 'done'],
    ['backup', 'done'],
    ['backup', 'done'],
    ['verify', 'interrupted'],
  ]);
  expect(await jobs.takeUp(['verify'], 'a token')).toBeUndefined();
});

const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('a Postgres server', () => {
  test('Postgres of version 0.2 is not opened, one of version 0.3.0 and a new one are', async () => {
    const fresh = await freshDatabase(server ?? '');
    onTestFinished(() => fresh.drop());
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database.close());

    await expectRefusal(database);
  });
});

test('what version 0.3.0 knew of dead letters is kept, and a project that it deleted is an erasure of everybody of it', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());
  await migrateDatabase(database, await migrationsUpTo(OF_0_3));
  await database.script(`
    insert into unstored_messages (reader, generation, topic, partition, log_offset, is_current)
    values ('sink', 1, 't', 0, 1, true), ('sink', 2, 't', 0, 1, true), ('sink', 3, 't', 0, 1, false), ('projector', 0, 't', 0, 2, false);
    insert into settled_dead_letters (topic, partition, log_offset, state, settled_at_ms, copy_partition, copy_offset)
    values ('t', 0, 1, 'dropped', 5, null, null), ('t', 0, 2, 'edited', 6, 0, 9);
    insert into dead_letter_edits (topic, partition, log_offset, digest, record_key, record_value, begun_at_ms)
    values ('t', 0, 2, 'two', null, null, 6), ('t', 0, 3, 'three', 'key', 'value', 7);
    insert into deleted_projects (id, name, deleted_at_ms, finished_at_ms, is_on_log)
    values ('done', 'Done', 1, 2, true), ('left', 'Left', 3, null, false)`);

  await migrateDatabase(database);

  const ofOne = { topic: 't', partition: 0, offset: 1n };
  expect(await unstoredMessages(database, { projector: 1, sink: 2 })).toEqual([{ reader: 'sink', ...ofOne }]);
  expect(await unstoredMessages(database, { projector: 1, sink: 3 })).toEqual([]);
  const settled = new SettledDeadLetters(database);
  const [edited, editing] = [2n, 3n].map((offset) => ({ ...ofOne, offset })) as [typeof ofOne, typeof ofOne];
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  expect(await settled.find(ofOne)).toMatchObject({ state: 'dropped', digest: null });
  expect(await settled.find(edited)).toMatchObject({ state: 'edited', digest: bytes('two'), copyOffset: 9n });
  expect(await settled.find(editing)).toMatchObject({
    state: 'editing',
    digest: bytes('three'),
    value: bytes('value'),
  });
  const [left, done] = await new SqlErasures(database).list({}, 9);
  expect(left).toMatchObject({ projectId: 'left', userKey: EVERYBODY, cut: null, state: 'pending' });
  expect(done).toMatchObject({ projectId: 'done', state: 'done', requestedAt: 1_000n, finishedAt: 2_000n });
  expect(done?.id).toMatch(/^erasure_[0-9a-z]{20}$/);
  await expect(deleteProject(database, 'left', 'Other')).rejects.toMatchObject({ code: 'PROJECT_NAME_DIFFERS' });
});
