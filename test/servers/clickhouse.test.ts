import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryServersFolder } from '../support/service/servers-folder.ts';
import { startClickHouse, type ClickHouse } from './clickhouse.ts';

test('ClickHouse comes back on its port with what was inserted, after a kill', async () => {
  const clickhouse = await start();
  await ask(clickhouse.url, 'create table kept (a Int64) engine MergeTree order by a');
  await ask(clickhouse.url, 'insert into kept values (42)');

  await clickhouse.kill();
  await expect(ask(clickhouse.url, 'select 1')).rejects.toThrow(TypeError);
  await clickhouse.start();

  expect(await ask(clickhouse.url, 'select a from kept')).toEqual({ status: 200, text: '42\n' });
});

test('ClickHouse refuses a wrong password', async () => {
  const clickhouse = await start();
  const wrong = new URL(clickhouse.url);
  wrong.password = 'wrong';

  expect(await ask(wrong.href, 'select 1')).toMatchObject({ status: 403 });
});

async function start(): Promise<ClickHouse> {
  const clickhouse = await startClickHouse({ folder: join(await temporaryServersFolder(), 'clickhouse') });
  onTestFinished(clickhouse.kill);
  return clickhouse;
}

async function ask(url: string, sql: string): Promise<{ status: number; text: string }> {
  const { origin, pathname, username, password } = new URL(url);
  const response = await fetch(`${origin}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    body: sql,
    headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
  });
  return { status: response.status, text: await response.text() };
}
