/** Verification beside people who were forgotten: while their messages are on the log, and once they are blank. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { topicOf } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { blankRecords, type BlankParts } from '../../../services/operations/erasure/blank-records.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { readErasedUsers } from '../../../services/stores/erasures/read-erased-users.ts';
import { askFor, erasureOf } from '../../support/erasures.ts';
import { sharedInstallation, WholeInstallation } from '../../support/service/whole-installation.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { openNewDatabase } from '../../support/stores/new-stores.ts';

const SILENT = { report: () => undefined, signal: new AbortController().signal };
const TABLES = ['track_rows', 'identify_rows', 'session_rows'];

describe('verify, where people were forgotten', () => {
  const installation = sharedInstallation('embedded');
  const sender = new MessageMaker();
  const verified = async (deep = true) => {
    const period = { projectId: sender.projectId };
    return verify(await storesToVerify(installation()), period, { deep, repeatWindowMs: 2 ** 40 });
  };
  const forgottenOf = ({ hours }: Awaited<ReturnType<typeof verified>>) =>
    hours.reduce((sum, { forgotten = 0 }) => sum + forgotten, 0);

  const begin = async () => {
    const messages = ['eve', 'ada', 'bob'].flatMap((userId) => [
      sender.track({ userId }),
      sender.identify({ userId, traits: '{"plan":"pro"}' }),
      sender.session({ userId }),
    ]);
    await installation().append(messages);
    await installation().append(messages.slice(0, 2));
    // The last of their partitions.
    await installation().append([sender.track({ userId: 'eve' }), sender.identify({ userId: 'eve' })]);
    await installation().readAll();
  };

  test('messages of somebody who was just asked to be forgotten are no fault, whether the stores have them or not', async () => {
    await begin();
    expect(forgottenOf(await verified())).toBe(0);

    await askFor(installation().database, erasureOf(sender.projectId, 'eve'));

    expect(await verified()).toMatchObject({ equal: true });
    expect(forgottenOf(await verified())).toBe(7);
    await deleteFromStores('eve');
    expect(await verified()).toMatchObject({ equal: true, surplus: { postgres: 0 } });
  }, 180_000);

  test('blank records are counted in their hour, and the stores stay equal', async () => {
    const { log, codec, database } = installation();
    const parts = { log, codec, database } as BlankParts;
    const before = await verified();

    await blankRecords(parts, await readErasedUsers(database), SILENT);
    const after = await verified();

    expect(after).toMatchObject({ equal: true, blank_unlisted: { count: 0 } });
    expect(forgottenOf(after)).toBe(7);
    expect(after.hours.map(({ messages, repeats }) => [messages, repeats])).toEqual(
      before.hours.map(({ messages, repeats }) => [messages, repeats]),
    );
  }, 180_000);

  test('a reader of a new database passes blank records, also the last of a partition, and is equal', async () => {
    const { log, analytics, alterAnalytics } = installation();
    const database = await openNewDatabase();
    onTestFinished(() => database.close());
    await migrateDatabase(database);
    const fresh = new WholeInstallation({ log, database, analytics, alterAnalytics });
    for (const row of await installation().database.query<Record<string, unknown>>('select * from blanked'))
      await database.query(
        'insert into blanked select $1, $2::int4, $3::int8, $4, $5::int4',
        Object.values(row) as never,
      );

    await fresh.readAll();

    const stores = await storesToVerify(fresh);
    const report = await verify(stores, { projectId: sender.projectId }, { deep: true, repeatWindowMs: 2 ** 40 });
    expect(report).toMatchObject({ equal: true, undecodable: 0, profiles: { users: 2, different: { count: 0 } } });
  }, 180_000);

  test('a lost row of somebody else is still found, in an hour of which messages are forgotten', async () => {
    await installation().alterAnalytics(deletion('track_rows', 'ada'));

    const report = await verified(false);

    expect(report).toMatchObject({ equal: false, missing: { clickhouse: { count: 1 }, postgres: { count: 0 } } });
  }, 180_000);

  test('a blank record that no list has is damage', async () => {
    const { log } = installation();
    const [appended] = await installation().append([sender.track({ userId: 'bob' })]);
    await installation().readAll();
    await log.erase?.([appended!]);

    const found = await verified(false);

    expect(found).toMatchObject({ equal: false, blank_unlisted: { count: 1 } });
    expect(found.blank_unlisted?.first[0]).toMatchObject({
      topic: topicOf(sender.track()),
      partition: appended!.partition,
      offset: String(appended!.offset),
    });
  }, 180_000);

  async function deleteFromStores(userId: string): Promise<void> {
    const key = userKeyOf(sender.projectId, userId);
    for (const table of ['profiles', 'sightings', 'users'])
      await installation().database.query(`delete from ${table} where user_key = $1`, [key]);
    for (const table of TABLES) await installation().alterAnalytics(deletion(table, userId));
  }

  function deletion(table: string, userId: string): string {
    const user = userNumber(userKeyOf(sender.projectId, userId));
    return `ALTER TABLE ${table} DELETE WHERE user = toUInt128('${user}') SETTINGS mutations_sync = 2`;
  }
});
