import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlPinsAndNotes } from '../../../services/stores/service-state/sql-pins-and-notes.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

describe.each(DATABASES)('pins and notes on $name', ({ share }) => testPinsAndNotes(share()));

function testPinsAndNotes(database: () => Database): void {
  let kept: SqlPinsAndNotes;

  beforeEach(async () => {
    await database().script(`
      delete from audiences; delete from jobs; delete from projects where id in ('one', 'two');
      insert into projects (id, name, timezone, session_secret, created_at_ms)
      select id, id, 'UTC', decode(repeat('00', 32), 'hex'), 0 from unnest(array['one', 'two']) id`);
    kept = new SqlPinsAndNotes(database());
  });

  test('a pin takes the place of the one of its name, keeps its place, and is one project\u2019s alone', async () => {
    await kept.pin('one', { name: 'Orders', address: 'events/Order' });
    await kept.pin('one', { name: 'Gold', address: 'audiences/aud_1' });
    await kept.pin('one', { name: 'Orders', address: 'events/Order?last=7d' });

    expect(await kept.pins('one')).toEqual([
      { name: 'Orders', address: 'events/Order?last=7d' },
      { name: 'Gold', address: 'audiences/aud_1' },
    ]);
    expect(await kept.pins('two')).toEqual([]);
    expect([await kept.unpin('two', 'Gold'), await kept.unpin('one', 'Gold')]).toEqual([false, true]);
    expect((await kept.pins('one')).map(({ name }) => name)).toEqual(['Orders']);
  });

  test('a project has six pins, also where ten are made at once, and one of them may still change', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `pin ${n}`);

    const made = await Promise.allSettled(names.map(async (name) => kept.pin('one', { name, address: 'live' })));

    const codes = made.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
    expect(codes).toEqual(Array.from({ length: 4 }, () => 'KEPT_LIMIT'));
    const [first] = await kept.pins('one');
    await kept.pin('one', { name: first?.name ?? '', address: 'events' });
    expect((await kept.pins('one')).map(({ address }) => address).toSorted()[0]).toBe('events');
  });

  test('notes are those that were written and those that mark themselves, newest first, within the time', async () => {
    const id = await kept.addNote('one', { at: 3_000n, text: 'Sale begins' }, 'key_1');
    await kept.addNote('two', { at: 3_000n, text: 'In another' }, null);
    await database().script(`
      insert into audiences (id, project_id, name, definition, version, created_at_ms, updated_at_ms, deleted_at_ms)
      values ('aud_1', 'one', 'Gold', '{}', 3, 0, 0, null), ('aud_2', 'one', 'Gone', '{}', 2, 0, 0, 1);
      insert into audience_versions (audience_id, version, definition, changed_at_ms, changed_by)
      values ('aud_1', 1, '{}', 1, null), ('aud_1', 2, '{}', 2, 'key_1'), ('aud_1', 3, '{}', 9, null), ('aud_2', 2, '{}', 2, null);
      insert into jobs (id, kind, args, principal, state, claim, created_at_ms, finished_at_ms, claimed_until_ms)
      values ('job_1', 'import', '{"project":"one","name":"users.csv"}', 'local', 'done', '', 0, 4, 0),
             ('job_2', 'import', '{"project":"two","name":"theirs.csv"}', 'local', 'done', '', 0, 4, 0),
             ('job_3', 'import', '{"project":"one","name":"failed.csv"}', 'local', 'failed', '', 0, 4, 0),
             ('job_4', 'replay swap', '{"kind":"profiles","number":2}', 'local', 'done', '', 0, 5, 0),
             ('job_5', 'replay swap', '{"kind":"profiles","number":2,"project":"two"}', 'local', 'done', '', 0, 5, 0),
             ('job_6', 'replay swap', '{"kind":"analytics","number":2,"project":null}', 'local', 'done', '', 0, 6, 0)`);

    const notes = await kept.notes('one', 2_000n, 9_000n);

    expect(notes.map(({ kind, id: of, at, text }) => [kind, of, at, text])).toEqual([
      ['replay', null, 6_000n, 'analytics'],
      ['replay', null, 5_000n, 'profiles'],
      ['import', 'job_1', 4_000n, 'users.csv'],
      ['note', id, 3_000n, 'Sale begins'],
      ['audience', 'aud_1', 2_000n, 'Gold'],
    ]);
    expect([await kept.removeNote('two', id), await kept.removeNote('one', id)]).toEqual([false, true]);
  });
}
