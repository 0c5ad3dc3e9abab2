import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryServersFolder } from '../support/service/servers-folder.ts';
import { startPostgres } from './postgres.ts';

test('Postgres comes back on its port with what was committed, after a stop and after a kill', async () => {
  const postgres = await startPostgres({ folder: join(await temporaryServersFolder(), 'postgres') });
  onTestFinished(postgres.kill);
  await query(postgres.url, 'create table kept (a int)');

  await query(postgres.url, 'insert into kept values (1)');
  await postgres.stop();
  await expect(query(postgres.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await postgres.start();
  await query(postgres.url, 'insert into kept values (2)');
  await postgres.kill();
  await postgres.start();

  expect(await query(postgres.url, 'select a from kept order by a')).toEqual([{ a: 1 }, { a: 2 }]);
});

test('Postgres refuses a wrong password', async () => {
  const postgres = await startPostgres({ folder: join(await temporaryServersFolder(), 'postgres') });
  onTestFinished(postgres.kill);
  const wrong = new URL(postgres.url);
  wrong.password = 'wrong';

  await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
