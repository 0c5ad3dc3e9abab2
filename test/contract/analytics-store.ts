import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnalyticsStore, IngestedRange, Rows } from '../../services/stores/analytics/analytics-store.ts';
import { testAnalyticsQuestions } from './analytics-questions.ts';
import { testAnalyticsStreams } from './analytics-streams.ts';
import { testAudienceHistory } from './audience-history.ts';
import { testUserEvents } from './user-events.ts';
import { ask, insert, MessageMaker, rowsFor } from '../support/stores/analytics.ts';

/** What any AnalyticsStore must do. `open` opens the same one again and again, one at a time. */
export function testAnalyticsStore(name: string, open: () => Promise<AnalyticsStore>): void {
  describe(`${name}, as an AnalyticsStore`, () => {
    let store: AnalyticsStore;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    testInserts(() => store);
    testHeldRanges(() => store);
    testUserEvents(() => store);
    testAnalyticsQuestions(() => store);
    testAnalyticsStreams(() => store);
    testAudienceHistory(() => store);
  });

  testClosing(name, open);
}

function testInserts(store: () => AnalyticsStore): void {
  test('the same rows inserted again change no answer', async () => {
    const maker = new MessageMaker();
    const history = [maker.track(), maker.identify({ traits: '{"plan":"pro"}' }), maker.session({ anonymous: true })];

    await insert(store(), history);
    await insert(store(), history);

    const counts = await ask(
      store(),
      `SELECT (SELECT count() FROM events WHERE project_id = {p:String}) AS events,
              (SELECT count() FROM sessions WHERE project_id = {p:String}) AS sessions,
              (SELECT count() FROM profile_traits WHERE project_id = {p:String}) AS traits,
              (SELECT count() FROM users WHERE project_id = {p:String}) AS users,
              (SELECT count() FROM profiles WHERE project_id = {p:String}) AS profiles`,
      { p: maker.projectId },
    );
    expect(counts).toEqual([{ events: '1', sessions: '1', traits: '1', users: '1', profiles: '1' }]);
  });

  test('an identify is one row, whatever its traits, under the version that they have', async () => {
    const maker = new MessageMaker();
    const identify = maker.identify({ traits: '{"plan":"pro","age":null}', messageId: 'i' });
    const history = [identify, maker.identify({ messageId: 'j' }), maker.session({ traits: '{"seen":true}' })];

    await insert(store(), history, 5n);
    await insert(store(), history, 5n);

    const rows = await ask(
      store(),
      `SELECT message_id, log_topic, log_partition, log_offset FROM identifies
       WHERE project_id = {p:String} ORDER BY message_id`,
      { p: maker.projectId },
    );
    const place = { log_topic: 'tidemark.identify', log_partition: 0 };
    expect(rows).toEqual([
      { message_id: 'i', ...place, log_offset: '5' },
      { message_id: 'j', ...place, log_offset: '6' },
    ]);
    const setters = await ask(
      store(),
      `SELECT trait, message_id FROM trait_rows FINAL INNER JOIN identifies USING (project_id, user, version)
       WHERE project_id = {p:String} ORDER BY trait`,
      { p: maker.projectId },
    );
    expect(setters).toEqual([
      { trait: 'age', message_id: 'i' },
      { trait: 'plan', message_id: 'i' },
    ]);
  });

  test('a repeat in the next month is not counted, and the first copy stays', async () => {
    const maker = new MessageMaker();
    const at = BigInt(Date.UTC(2026, 0, 31, 23, 59)) * 1000n;
    const first = maker.track({ messageId: 'm', timestamp: at, receivedAt: at, properties: '{"copy":1}' });
    const later = { ...first, receivedAt: at + 120_000_000n, properties: '{"copy":2}' };

    await insert(store(), [later], 7n);
    await insert(store(), [first], 3n);

    expect(
      await ask(store(), 'SELECT properties_text FROM events WHERE project_id = {p:String}', { p: maker.projectId }),
    ).toEqual([{ properties_text: '{"copy":1}' }]);
  });

  test('one insert may cover more months than ClickHouse takes by itself', async () => {
    const maker = new MessageMaker();
    const months = Array.from({ length: 105 }, (_, month) => BigInt(Date.UTC(2010, month, 1)) * 1000n);

    await insert(
      store(),
      months.map((receivedAt) => maker.track({ receivedAt })),
    );

    expect(
      await ask(store(), 'SELECT count() AS n FROM events WHERE project_id = {p:String}', { p: maker.projectId }),
    ).toEqual([{ n: '105' }]);
  });

  test('a row that does not parse is STORE_REJECTED, and the error tells nothing of it', async () => {
    const error: unknown = await store()
      .insert([], wrongRows(new MessageMaker()))
      .catch((e: unknown) => e);

    expect(error).toMatchObject({ code: 'STORE_REJECTED' });
    expect(printed(error)).not.toContain('ada@example.com');
  });

  test('rows that are tried are refused as an insert refuses them, and leave nothing', async () => {
    const maker = new MessageMaker();
    await store().tryInsert(rowsFor([maker.identify({ traits: '{"plan":"pro"}' })]));
    const tried = store().tryInsert(wrongRows(maker));

    await expect(tried).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    expect(
      await ask(store(), 'SELECT count() AS n FROM identifies WHERE project_id = {p:String}', { p: maker.projectId }),
    ).toEqual([{ n: '0' }]);
    expect(await ask(store(), "SELECT name FROM system.tables WHERE name LIKE 'tried%'")).toEqual([]);
  });

  test('first and last seen widen, and a user id once known stays', async () => {
    const maker = new MessageMaker();
    const user = maker.track({ timestamp: 1_000_000n });
    await insert(store(), [{ ...user, timestamp: 5_000_000n, userId: null }]);
    await insert(store(), [{ ...user, timestamp: -3_000_000n, userId: null }, user]);

    expect(
      await ask(
        store(),
        `SELECT user_id, toUnixTimestamp64Micro(first_seen) AS first, toUnixTimestamp64Micro(last_seen) AS last
         FROM users WHERE project_id = {p:String}`,
        { p: maker.projectId },
      ),
    ).toEqual([{ user_id: 'ada', first: '-3000000', last: '5000000' }]);
  });

  test('times before 1970 are the earliest however often one asks', async () => {
    const sql = `SELECT min(first_seen) < max(last_seen) AS ordered FROM user_rows WHERE project_id = {p:String} GROUP BY user`;
    for (let round = 0; round < 12; round++) {
      const maker = new MessageMaker();
      for (const timestamp of [0n, -1_000_000n, -1_000_000n]) await insert(store(), [maker.identify({ timestamp })]);

      expect(await ask(store(), sql, { p: maker.projectId })).toEqual([{ ordered: 1 }]);
    }
  });

  test('anonymous follows the newest session', async () => {
    const maker = new MessageMaker();
    const older = maker.session({ anonymous: true });
    const newer = maker.session({ anonymous: false });

    await insert(store(), [newer], 1n);
    await insert(store(), [older], 0n);
    await insert(store(), [maker.track({ userId: 'ben' })]);

    const sql = 'SELECT user_id, anonymous, traits FROM profiles WHERE project_id = {p:String} ORDER BY user_id';
    expect(await ask(store(), sql, { p: maker.projectId })).toEqual([
      { user_id: 'ada', anonymous: false, traits: '{}' },
      { user_id: 'ben', anonymous: null, traits: '{}' },
    ]);
  });
}

function testHeldRanges(store: () => AnalyticsStore): void {
  const range = (topic: string, from: number, to: number, partition = 0): IngestedRange => ({
    topic,
    partition,
    from: BigInt(from),
    to: { topic, partition, offset: BigInt(to), identity: `before ${to}` },
  });
  const ingestedUpTo = async (topic: string, partition = 0): Promise<unknown> =>
    (await store().ingestedUpTo([{ topic, partition }]))[0];

  test('a partition of which nothing is held is held up to its beginning', async () => {
    const topic = randomUUID();

    expect(await ingestedUpTo(topic)).toEqual({ topic, partition: 0, offset: 0n, identity: '' });
  });

  test('ranges that join are held up to the end of the last, in any order', async () => {
    const topic = randomUUID();
    await store().insert([range(topic, 5, 9)], new Map());
    await store().insert([range(topic, 9, 20), range(topic, 0, 7, 1)], new Map());
    await store().insert([range(topic, 0, 5)], new Map());

    expect(await ingestedUpTo(topic)).toEqual({ topic, partition: 0, offset: 20n, identity: 'before 20' });
    expect(await ingestedUpTo(topic, 1)).toMatchObject({ offset: 7n });
  });

  test('ranges beyond a gap do not count', async () => {
    const topic = randomUUID();
    await store().insert([range(topic, 0, 5), range(topic, 6, 9), range(topic, 9, 12)], new Map());

    expect(await ingestedUpTo(topic)).toMatchObject({ offset: 5n, identity: 'before 5' });
  });

  test('ranges may overlap', async () => {
    const topic = randomUUID();
    await store().insert(
      [range(topic, 0, 10), range(topic, 0, 4), range(topic, 4, 6), range(topic, 10, 12)],
      new Map(),
    );

    expect(await ingestedUpTo(topic)).toMatchObject({ offset: 12n });
  });
}

function testClosing(name: string, open: () => Promise<AnalyticsStore>): void {
  const endless = { sql: 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000000)', params: {} };
  const patient = { maxMs: 600_000, maxMemoryBytes: 2 ** 32, maxRowsRead: 2 ** 52 };

  test(`${name}: closing ends questions, those that wait for others too, finishes inserts, and is idempotent`, async () => {
    const store = await open();
    const maker = new MessageMaker();
    const questions = Promise.allSettled([1, 2, 3, 4].map(() => store.ask(endless, patient)));
    const inserted = insert(store, [maker.track(), maker.identify({ traits: '{"plan":"pro"}' })]);

    const closed = [store.close(), store.close()];

    for (const question of await questions)
      expect(question).toMatchObject({ reason: { code: 'STOPPING', retryable: true } });
    await inserted;
    await Promise.all(closed);
    await expect(store.check()).rejects.toMatchObject({ code: 'STOPPING' });
    await expect(store.insert([], rowsFor([]))).rejects.toMatchObject({ code: 'STOPPING' });
  });

  test(`${name}: what was inserted is there when it is opened again`, async () => {
    const maker = new MessageMaker();
    const before = await open();
    await insert(before, [maker.track()]);
    await before.close();

    const after = await open();

    expect(
      await ask(after, 'SELECT count() AS n FROM events WHERE project_id = {p:String}', { p: maker.projectId }),
    ).toEqual([{ n: '1' }]);
    await after.close();
  });
}

/** Everything that a logger could print of an error. */
/** Rows with a value whose type ClickHouse does not know. */
function wrongRows(maker: MessageMaker): Rows {
  const rows = rowsFor([maker.track({ properties: '{"email":"ada@example.com"}' })]);
  const [bytes] = rows.get('track_rows') ?? [];
  const wrong = Buffer.from(bytes ?? []);
  wrong[wrong.indexOf('email') + 'email'.length] = 0xff;
  return new Map([['track_rows', [wrong]]]);
}

function printed(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error), printed(error.cause)].join('\n');
}
