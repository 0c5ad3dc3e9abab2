import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { type ClickHouse, startClickHouse } from '../../servers/clickhouse.ts';
import { serverUrl } from '../../servers/server.ts';
import { insert, MessageMaker } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';

const PAGE = readFileSync(new URL('../../../docs/clickhouse.md', import.meta.url), 'utf8');
const [, CONFIGURATION = ''] = /```xml\n([^]*?)```/.exec(PAGE) ?? [];
const PASSWORD = 'reader-of-the-tests';

/** What the page puts inside this element. */
function inside(element: string): string {
  const [, text = ''] = new RegExp(`^  <${element}>\n([^]*?)^  </${element}>`, 'm').exec(CONFIGURATION) ?? [];
  return text.replace('SHA256_OF_THE_PASSWORD', hash('sha256', PASSWORD, 'hex'));
}

describe.skipIf((await serverUrl('clickhouse')) === undefined)('the user of docs/clickhouse.md', () => {
  let folder: string;
  let server: ClickHouse;
  const make = new MessageMaker();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    server = await startClickHouse({
      folder: join(folder, 'clickhouse'),
      users: inside('users'),
      profiles: inside('profiles'),
    });
    const store = await openAnalytics(server.url);
    await insert(store, [make.track(), make.identify({ traits: '{"plan":"pro"}' })]);
    await store.close();
    await askServer(server.url, 'CREATE DATABASE other');
    await askServer(server.url, 'CREATE TABLE other.secrets (text String) ENGINE = MergeTree ORDER BY text');
  });

  afterAll(async () => {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  });

  function ask(sql: string, changes: { password?: string } = {}): Promise<readonly string[]> {
    const url = new URL(server.url);
    url.username = 'tidemark_reader';
    url.password = changes.password ?? PASSWORD;
    return askServer(url.href, sql);
  }

  test('the user of docs/clickhouse.md can read tables and views, including views with parameters', async () => {
    const questions = [
      'SELECT count() FROM events',
      'SELECT count() FROM profiles',
      'SELECT count() FROM track_rows FINAL',
      `SELECT count() FROM users_with_trait(project = '${make.projectId}', trait = 'plan')`,
      `SELECT count() FROM user_timeline(project = '${make.projectId}', user_id = 'ada')`,
    ];

    for (const sql of questions) expect([sql, await ask(sql)]).toEqual([sql, ['1']]);
  });

  test.each([
    ["INSERT INTO held_ranges SELECT 'topic', 0, 0, 1, '', now()", /READONLY|ACCESS_DENIED/],
    ['ALTER TABLE track_rows DELETE WHERE 1', /READONLY|ACCESS_DENIED/],
    ['TRUNCATE TABLE track_rows', /READONLY|ACCESS_DENIED/],
    ['DROP VIEW events', /READONLY|ACCESS_DENIED/],
    ['CREATE TABLE tidemark.mine (a String) ENGINE = MergeTree ORDER BY a', /READONLY|ACCESS_DENIED/],
    ['SELECT * FROM other.secrets', /ACCESS_DENIED/],
    ["SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')", /ACCESS_DENIED|READONLY/],
    ["SELECT * FROM file('/etc/passwd', 'TSV', 'a String')", /ACCESS_DENIED|READONLY/],
    ["SELECT * FROM remote('127.0.0.1', 'other', 'secrets')", /ACCESS_DENIED|READONLY/],
  ])('the user of docs/clickhouse.md cannot do this: %s', async (sql, refusal) => {
    await expect(ask(sql)).rejects.toThrow(refusal);
    expect(await askServer(server.url, 'SELECT count() FROM events')).toEqual(['1']);
  });

  test.each([
    ['SELECT count() FROM events SETTINGS max_execution_time = 5, max_memory_usage = 100000000', null],
    ['SELECT count() FROM events SETTINGS max_execution_time = 0', /SETTING_CONSTRAINT_VIOLATION/],
    ['SELECT count() FROM events SETTINGS max_execution_time = 61', /SETTING_CONSTRAINT_VIOLATION/],
    ['SELECT count() FROM events SETTINGS max_memory_usage = 0', /SETTING_CONSTRAINT_VIOLATION/],
    ['SELECT count() FROM events SETTINGS max_rows_to_read = 0', /SETTING_CONSTRAINT_VIOLATION/],
    ['SELECT count() FROM events SETTINGS readonly = 0', /READONLY/],
    ['SELECT sum(cityHash64(number)) FROM numbers(100000000000)', /TOO_MANY_ROWS/],
  ])('the user of docs/clickhouse.md is bound by its limits: %s', async (sql, refusal) => {
    if (refusal === null) expect(await ask(sql)).toEqual(['1']);
    else await expect(ask(sql)).rejects.toThrow(refusal);
  });

  test('the user of docs/clickhouse.md needs its password', async () => {
    await expect(ask('SELECT 1', { password: 'wrong' })).rejects.toThrow(/AUTHENTICATION_FAILED/);
  });
});
