import { describe, expect, onTestFinished, test } from 'vitest';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { auditEntry } from '../../contract/audit-log.ts';
import { serverUrl } from '../../servers/server.ts';
import { openEmptyDatabase } from '../../support/stores/new-stores.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';

const server = await serverUrl('postgres');

test('whole messages that the audit log of PGlite has from before are cleared, and it refuses changes again', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());

  await expectCleared(database);
});

describe.skipIf(server === undefined)('on Postgres', () => {
  test('whole messages that the audit log of Postgres has from before are cleared, and it refuses changes again', async () => {
    const { url, drop } = await freshDatabase(server!);
    onTestFinished(drop);
    const database = await openDatabase(url);
    onTestFinished(() => database.close());

    await expectCleared(database);
  });
});

async function expectCleared(database: Database): Promise<void> {
  await migrateDatabase(database, await migrationsUpTo(23));
  const log = new SqlAuditLog(database);
  const [before, after] = ['{"traits":{"email":"ada@example.com"}}', '{"traits":{"email":"ada@example.org"}}'];
  await log.append({ ...auditEntry(), action: 'dead-letters.edit', object: 'tidemark.track/0/4', before, after });
  await log.append({ ...auditEntry(), action: 'audience.change', before: '{"name":"a"}', after: '{"name":"b"}' });

  await migrateDatabase(database);

  expect(await log.list({}, 10)).toMatchObject([
    { action: 'audience.change', before: '{"name":"a"}', after: '{"name":"b"}' },
    { action: 'dead-letters.edit', object: 'tidemark.track/0/4', before: null, after: null },
  ]);
  await expect(database.query(`update audit_log set action = 'forged'`)).rejects.toMatchObject({
    code: 'STORE_REJECTED',
  });
  await expect(database.query('delete from audit_log')).rejects.toMatchObject({ code: 'STORE_REJECTED' });
}
