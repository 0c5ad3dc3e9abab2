import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AnalyticsStore } from '../../../../services/stores/analytics/analytics-store.ts';
import { ROW_TABLES } from '../../../../services/stores/analytics/columns.ts';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { serverUrl } from '../../../servers/server.ts';
import { AMPLE, insert, MessageMaker, rowsFor } from '../../../support/stores/analytics.ts';
import { askServer } from '../../../support/stores/clickhouse.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/stores/fresh-database.ts';

const server = await serverUrl('clickhouse');
const TABLES = [...ROW_TABLES, 'user_track_rows'];
/** Filled by materialized views and by statements. */
const DERIVED_TABLES = [
  'trait_value_rows',
  'user_id_rows',
  'user_trait_rows',
  'audience_members_by_user',
  'sightings_by_anonymous',
  'join_rows',
  'join_decision_rows',
];
const AUDIENCE_TABLES = ['audience_changes', 'audience_evaluations', 'audience_members'];

describe.skipIf(server === undefined)('a ClickHouse server', () => {
  let database: FreshDatabase;
  let store: AnalyticsStore;
  beforeEach(async () => {
    database = await freshDatabase(server ?? '');
    store = await openAnalytics(database.url);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  /** Stops the merges of these tables alone: the server is shared. */
  const stopMerges = async (): Promise<void> => {
    for (const table of TABLES) await askServer(database.url, `SYSTEM STOP MERGES ${table}`);
  };
  const rowCounts = async (): Promise<unknown> => {
    const counts = TABLES.map((table) => `(SELECT count() FROM ${table})`);
    const [line = ''] = await askServer(database.url, `SELECT ${counts.join()}`);
    return Object.fromEntries(TABLES.map((table, index) => [table, Number(line.split('\t')[index])]));
  };
  const eachOnce = {
    track_rows: 2,
    session_rows: 1,
    identify_rows: 1,
    trait_rows: 1,
    user_rows: 1,
    sighting_rows: 1,
    user_track_rows: 2,
  };

  function someRows() {
    const maker = new MessageMaker();
    const january = BigInt(Date.UTC(2026, 0, 31)) * 1000n;
    return rowsFor([
      maker.track({ receivedAt: january, timestamp: january }),
      maker.track({ anonymousId: 'dev-1' }),
      maker.session({ traits: '{"plan":"pro"}' }),
      maker.identify(),
    ]);
  }

  test('a repeated insert writes no row to ClickHouse, even after other inserts in between', async () => {
    const rows = someRows();
    await stopMerges();
    await store.insert([], rows);
    for (let n = 0; n < 5; n++) await insert(store, [new MessageMaker().identify()]);

    await store.insert([], rows);

    expect(await rowCounts()).toEqual({ ...eachOnce, identify_rows: 6, user_rows: 6 });
  });

  test('an insert of 20 MB becomes one part in ClickHouse, and its repeat writes no row', async () => {
    const maker = new MessageMaker();
    const note = 'x'.repeat(10_000);
    const messages = Array.from({ length: 1_000 }, (_, n) => maker.track({ properties: JSON.stringify({ n, note }) }));
    const rows = rowsFor(messages);
    await stopMerges();

    await store.insert([], rows);
    await store.insert([], rows);

    const sql =
      'SELECT count(), uniqExact(_part), uniqExact(properties.n), sum(length(properties.note::String)) FROM track_rows';
    expect(await askServer(database.url, sql)).toEqual(['1000\t1\t1000\t10000000']);
  });

  test('rows whose partitions were dropped are written again by a repeated insert', async () => {
    const rows = someRows();
    await store.insert([], rows);
    for (const table of TABLES) await askServer(database.url, `TRUNCATE TABLE ${table}`);

    await store.insert([], rows);

    expect(await rowCounts()).toEqual(eachOnce);
  });

  test('completes by a repeat what failed between a table and the view that it feeds', async () => {
    const rows = someRows();
    await stopMerges();
    await askServer(database.url, "ALTER TABLE user_track_rows ADD CONSTRAINT never CHECK event = ''");
    await expect(store.insert([], rows)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    const halfDone = await rowCounts();
    await askServer(database.url, 'ALTER TABLE user_track_rows DROP CONSTRAINT never');

    await store.insert([], rows);

    expect(halfDone).toEqual({ ...eachOnce, user_track_rows: 0 });
    expect(await rowCounts()).toEqual(eachOnce);
  });

  test('ClickHouse flushes every part to disk before it acknowledges an insert', async () => {
    const tables = await askServer(
      database.url,
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
         AND create_table_query LIKE '%fsync_after_insert = 1, fsync_part_directory = 1%' ORDER BY name`,
    );

    const others = [...DERIVED_TABLES, ...AUDIENCE_TABLES, 'held_ranges', 'schema_migrations', 'user_event_rows'];
    expect(tables).toEqual([...TABLES, ...others].toSorted());
  });

  test('a ClickHouse query ends when its client no longer waits for it', async () => {
    const mark = randomUUID();
    const sql = `SELECT sum(cityHash64(number)) /* ${mark} */ FROM numbers(1000000000000000)`;
    const isRunning = async (): Promise<boolean> => {
      const running = `SELECT count() FROM system.processes WHERE position(query, '${mark}') > 0 AND position(query, 'processes') = 0`;
      return (await askServer(database.url, running))[0] === '1';
    };
    const question = store.ask({ sql, params: {} }, { ...AMPLE, maxRowsRead: 2 ** 60 });
    const outcome = question.catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await isRunning()).toBe(true), { timeout: 10_000 });

    await store.close();

    expect(await outcome).toMatchObject({ code: 'STOPPING' });
    await vi.waitFor(async () => expect(await isRunning()).toBe(false), { timeout: 10_000 });
  });

  test('a query parameter may be longer than a URL may be', async () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `user '${n}'`);

    const { rows } = await store.ask({ sql: 'SELECT {ids:Array(String)} AS ids', params: { ids } }, AMPLE);

    expect(rows).toEqual([{ ids }]);
  });

  test.each(['zstd', 'gzip', 'none'])('ClickHouse accepts inserts with the compression %s', async (compression) => {
    const other = await openAnalytics(`${database.url}?compression=${compression}`);

    await other.insert([], someRows());

    expect(await rowCounts()).toEqual(eachOnce);
    await other.close();
  });
});
