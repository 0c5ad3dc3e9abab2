import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_KEY, ReadingServer } from '../../support/http/reading-server.ts';

let reading: ReadingServer;

beforeAll(async () => (reading = await ReadingServer.start()));
afterAll(() => reading.stop());

async function post(body: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const init = { method: 'POST', body: JSON.stringify(body) };
  const answer = await reading.request('/v1/admin/backups', init, ADMIN_KEY);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('over the network a backup goes to BACKUP_DIR, and to no other folder', async () => {
  const [without, own, other, relative] = [
    await post({}),
    await post({ folder: '/backups/' }),
    await post({ folder: '/etc' }),
    await post({ folder: 'backups' }),
  ];

  expect([without.status, own.status]).toEqual([202, 202]);
  expect(without.body).toMatchObject({ kind: 'backup', args: { folder: '/backups' } });
  expect([other.status, relative.status]).toEqual([400, 400]);
  expect(other.body['error_code']).toBe('COMMAND_INVALID');
});

test('the list has the schedule, the last backup and the jobs', async () => {
  const result = { folder: '/backups', number: 2, at: 'then', records: 1, records_total: 3, bytes: 4, bytes_total: 5 };
  await reading.database.query(
    `insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, finished_at_ms, claimed_until_ms)
     values ('job_1', 'backup', '{}', 'p', 'done', $1, '', 0, 4102444800000, 0)`,
    [JSON.stringify({ ...result, kept: 1, took_ms: 6 })],
  );
  await post({});

  const answer = await reading.request('/v1/admin/backups?limit=1', {}, ADMIN_KEY);

  expect(await answer.json()).toMatchObject({
    folder: '/backups',
    every_seconds: 86_400,
    last: { finished_at: '2100-01-01T00:00:00.000000Z', ...result },
    backups: [{ kind: 'backup' }],
  });
});
