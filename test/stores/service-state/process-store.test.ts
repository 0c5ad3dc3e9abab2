import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import {
  MemoryProcessStore,
  type ProcessReport,
  type ProcessStore,
} from '../../../services/stores/service-state/process-store.ts';
import { SqlProcessStore } from '../../../services/stores/service-state/sql-process-store.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

describe('in memory', () => testProcesses('memory', () => new MemoryProcessStore()));
describe.each(DATABASES)('on $name', ({ name, share }) => testSql(name, share()));

function reportOf(id: string, changes: Partial<ProcessReport> = {}): ProcessReport {
  const common = { role: 'sink', version: '0.2.0', startedAtMs: 1_000 };
  return { id, ...common, parts: { sink: 'ready' }, rates: { sink: 0.5 }, ...changes };
}

function testProcesses(name: string, open: () => ProcessStore): void {
  test(`${name} lists the last report of each process until it is removed`, async () => {
    const store = open();
    await store.report(reportOf('b'));
    await store.report(reportOf('a'));
    await store.report(reportOf('b', { parts: { sink: 'failed' } }));

    const seen = await store.list();

    expect(seen).toMatchObject([reportOf('a'), reportOf('b', { parts: { sink: 'failed' } })]);
    for (const { ageMs } of seen) expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(structuredClone(seen)).toEqual(seen);
    await store.remove('a');
    await store.remove('unknown');
    expect((await store.list()).map(({ id }) => id)).toEqual(['b']);
  });
}

function testSql(name: string, database: () => Database): void {
  beforeEach(() => database().script('truncate processes'));
  testProcesses(name, () => new SqlProcessStore(database()));

  test(`${name} keeps the report of a process that died for an hour`, async () => {
    const store = new SqlProcessStore(database());
    await store.report(reportOf('minutes'));
    await store.report(reportOf('hours'));
    await database().script(`update processes set beat_at_ms = beat_at_ms - 40 * 60000 where id = 'minutes';
      update processes set beat_at_ms = beat_at_ms - 61 * 60000 where id = 'hours'`);

    expect((await store.list()).map(({ id, ageMs }) => [id, ageMs >= 2_400_000])).toEqual([['minutes', true]]);
    await store.report(reportOf('new'));
    const rows = await database().query<{ id: string }>('select id from processes order by id');
    expect(rows.map(({ id }) => id)).toEqual(['minutes', 'new']);
  });
}
