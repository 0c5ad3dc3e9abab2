import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cluster, SERVER } from '../../../../services/stores/analytics/clickhouse/deployment.ts';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { statementsOf } from '../../../../services/runtime/migrate.ts';
import { serverUrl } from '../../../servers/server.ts';
import { ask, insert, MessageMaker } from '../../../support/stores/analytics.ts';
import { askServer } from '../../../support/stores/clickhouse.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/stores/fresh-database.ts';

const FOLDER = new URL('../../../../schemas/clickhouse/', import.meta.url);
const OPENER = new URL('../../../support/programs/analytics-opener.ts', import.meta.url).pathname;
const MIGRATIONS = readdirSync(FOLDER).toSorted();
const NUMBERS = MIGRATIONS.map((_, index) => String(index + 1));
const STATEMENTS = MIGRATIONS.flatMap((file) => statementsOf(readFileSync(new URL(file, FOLDER), 'utf8')));

const server = await serverUrl('clickhouse');

describe.skipIf(server === undefined)('the tables of a ClickHouse server', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase(server ?? '');
  });
  afterEach(() => database.drop());

  const applied = (): Promise<readonly string[]> =>
    askServer(database.url, 'SELECT number FROM schema_migrations FINAL ORDER BY number');

  test('processes that open a ClickHouse server at the same time create its tables without a lock', async () => {
    const open = (): Promise<{ stdout: string }> =>
      promisify(execFile)(process.execPath, [OPENER, database.url], { timeout: 25_000 });

    const opened = await Promise.all([open(), open(), open()]);

    expect(opened.map(({ stdout }) => stdout)).toEqual(['open', 'open', 'open']);
    expect(await applied()).toEqual(NUMBERS);
  });

  test('the tables of a ClickHouse server are created once, under the lock that is given', async () => {
    const held: string[] = [];
    let last: Promise<unknown> = Promise.resolve();
    const exclusively = <T>(run: () => Promise<T>): Promise<T> => {
      const turn = last.then(async () => {
        held.push(String((await askServer(database.url, 'EXISTS TABLE schema_migrations'))[0]));
        return run();
      });
      last = turn;
      return turn;
    };

    const opened = await Promise.all([1, 2].map(() => openAnalytics(database.url, { exclusively })));
    await Promise.all(opened.map((store) => store.close()));
    await (await openAnalytics(database.url, { exclusively })).close();

    expect(held).toEqual(['0', '1']);
    expect(await askServer(database.url, 'SELECT number FROM schema_migrations ORDER BY number')).toEqual(NUMBERS);
  });

  test('tables with rows accept every statement of the migrations again', async () => {
    const store = await openAnalytics(database.url);
    await insert(store, [new MessageMaker().track()]);

    for (const statement of STATEMENTS) await askServer(database.url, SERVER.statement(statement));

    expect(
      await ask(store, 'SELECT (SELECT count() FROM events) AS events, (SELECT count() FROM users) AS users'),
    ).toEqual([{ events: '1', users: '1' }]);
    await store.close();
  });

  test('tables of a newer version are opened where older programs can go on', async () => {
    await (await openAnalytics(database.url)).close();
    await askServer(database.url, `INSERT INTO schema_migrations VALUES (98, '098-later.compatible.sql', 'x')`);

    const store = await openAnalytics(database.url);
    await insert(store, [new MessageMaker().track()]);

    expect(await ask(store, 'SELECT count() AS events FROM events')).toEqual([{ events: '1' }]);
    await store.close();
  });

  test('tables of a newer version are left unchanged', async () => {
    await (await openAnalytics(database.url)).close();
    await askServer(database.url, `INSERT INTO schema_migrations VALUES (99, '099-later.sql', 'x')`);

    await expect(openAnalytics(database.url)).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });

  const definitions = STATEMENTS.filter((statement) => !/^INSERT/m.test(statement));
  test.each(definitions.map((statement) => [/(?:CREATE [A-Z ]+) \w+/.exec(statement)?.[0], statement]))(
    'ClickHouse parses the definition as it is for a cluster: %s',
    async (_, statement = '') => {
      const onCluster = cluster({ name: 'blue', insertQuorum: 'auto' }).statement(statement);

      const [tree = ''] = await askServer(database.url, `SELECT formatQuerySingleLine($sql$${onCluster}$sql$)`);

      expect(tree).toContain('ON CLUSTER blue');
      expect(tree.includes('MergeTree')).toBe(tree.includes('ENGINE'));
    },
  );
});
