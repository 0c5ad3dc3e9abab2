import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AuditEntry, SqlAuditLog } from '../../services/stores/service-state/sql-audit-log.ts';

/** An entry of a principal that no other test has: the log cannot be emptied. */
export function auditEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: 1_795_500_000_123_456n,
    principalId: randomUUID(),
    principalName: 'Nightly jobs',
    source: '10.0.0.12',
    action: 'audience.change',
    projectId: 'proj_1',
    object: 'aud_1',
    before: '{"total":1e400}',
    after: null,
    requestId: 'req-1',
    ...changes,
  };
}

/** What the audit log must do on any database. */
export function testAuditLog(name: string, open: () => SqlAuditLog): void {
  describe(`audit log: ${name}`, () => {
    test('the audit log gives entries back as they were appended, newest first', async () => {
      const log = open();
      const first = auditEntry();
      const second = { ...first, principalName: null, source: null, projectId: null, object: null, before: null };
      await log.append(first);
      await log.append(second);

      const found = await log.list({ principal: first.principalId }, 10);

      expect(found).toEqual([
        { ...second, id: expect.any(BigInt) as bigint },
        { ...first, id: expect.any(BigInt) as bigint },
      ]);
      expect(found[0]!.id).toBeGreaterThan(found[1]!.id);
      expect(structuredClone(found)).toEqual(found);
    });

    test('the audit log is read page by page', async () => {
      const log = open();
      const { principalId } = auditEntry();
      for (const object of ['a', 'b', 'c']) await log.append(auditEntry({ principalId, object }));

      const page = await log.list({ principal: principalId }, 2);
      const rest = await log.list({ principal: principalId }, 2, page.at(-1)?.id);

      expect([...page, ...rest].map(({ object }) => object)).toEqual(['c', 'b', 'a']);
    });

    test.each([
      ['an action', { action: 'audience.save' }, ['saved']],
      ['a project', { projectId: 'proj_2' }, ['elsewhere']],
      ['a first time', { since: 1_795_500_000_123_457n }, ['later']],
      ['an end', { until: 1_795_500_000_123_456n }, ['earlier']],
      ['no more', {}, ['later', 'earlier', 'elsewhere', 'saved']],
    ] as const)('the audit log is filtered by %s', async (_, filter, objects) => {
      const log = open();
      const { principalId } = auditEntry();
      const common = { principalId, principalName: null };
      await log.append(auditEntry({ ...common, object: 'saved', action: 'audience.save' }));
      await log.append(auditEntry({ ...common, object: 'elsewhere', projectId: 'proj_2' }));
      await log.append(auditEntry({ ...common, object: 'earlier', at: 1_795_500_000_123_455n }));
      await log.append(auditEntry({ ...common, object: 'later', at: 1_795_500_000_123_457n }));

      const found = await log.list({ ...filter, principal: principalId }, 10);

      expect(found.map(({ object }) => object)).toEqual(objects);
    });

    test('the audit log finds a principal by its name', async () => {
      const log = open();
      const principalName = randomUUID();
      await log.append(auditEntry({ principalName }));
      await log.append(auditEntry());

      expect(await log.list({ principal: principalName }, 10)).toMatchObject([{ principalName }]);
    });
  });
}
