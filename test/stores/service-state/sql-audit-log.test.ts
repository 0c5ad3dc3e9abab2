import { describe, expect, test } from 'vitest';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import type { Database, Queryable } from '../../../services/stores/database/database.ts';
import { auditEntry, testAuditLog } from '../../contract/audit-log.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

describe.each(DATABASES)('on $name', ({ name, share }) => testOn(name, share()));

const CHANGES = [
  `update audit_log set action = 'forged'`,
  'delete from audit_log',
  'truncate audit_log',
  `insert into audit_log (id, at_us, principal_id, action, request_id) overriding system value
   select id, at_us, principal_id, 'forged', request_id from audit_log
   on conflict (id) do update set action = excluded.action`,
];

function testOn(name: string, database: () => Database): void {
  testAuditLog(name, () => new SqlAuditLog(database()));

  test.each(CHANGES)('the audit log refuses the role of the service, superuser or not: %s', async (sql) => {
    const entry = auditEntry();
    const log = new SqlAuditLog(database());
    await log.append(entry);

    await expect(database().query(sql)).rejects.toMatchObject({ code: 'STORE_REJECTED' });

    expect(await log.list({ principal: entry.principalId }, 10)).toMatchObject([{ action: entry.action }]);
  });

  test('the audit log is append-only by grant for an owner that is no superuser', async () => {
    await database()
      .transaction(async (transaction) => {
        await becomeOwner(transaction);
        await transaction.query(
          `insert into audit_log (at_us, principal_id, action, request_id) values (1, 'p', 'a', 'r')`,
        );
        const [granted] = await transaction.query(
          `select has_table_privilege('audit_log', 'insert') as insert, has_table_privilege('audit_log', 'select') as select,
                has_table_privilege('audit_log', 'update') as update, has_table_privilege('audit_log', 'delete') as delete,
                has_table_privilege('audit_log', 'truncate') as truncate`,
        );

        expect(granted).toEqual({ insert: true, select: true, update: false, delete: false, truncate: false });
        throw new Error('roll back');
      })
      .catch((error: Error) => {
        if (error.message !== 'roll back') throw error;
      });
  });
}

/** The table belongs to a role of this transaction alone. */
async function becomeOwner(transaction: Queryable): Promise<void> {
  await transaction.query('create role audit_owner');
  await transaction.query('grant usage, create on schema public to audit_owner');
  await transaction.query('alter table audit_log owner to audit_owner');
  await transaction.query('set local role audit_owner');
}
