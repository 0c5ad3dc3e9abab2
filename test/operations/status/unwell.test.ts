import { beforeEach, describe, expect, test } from 'vitest';
import { findUnwell } from '../../../services/operations/status/unwell.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

describe.each(DATABASES)('what is not well, on $name', ({ share }) => testUnwell(share()));

function testUnwell(database: () => Database): void {
  const addEndpoint = async (id: string, changes: string, description: string | null = id): Promise<void> => {
    await database().query(
      `insert into endpoints (id, project_id, description, url, types, initial, batch_size, secret, created_at_ms, updated_at_ms)
       values ($1, 'one', $2, 'https://me:secret@hooks.example:8443/in?key=1', '{}', 'none', 1, '', 0, 0)`,
      [id, description],
    );
    await database().query(`update endpoints set ${changes} where id = $1`, [id]);
  };

  const addAudience = async (id: string, values: string): Promise<void> => {
    await database().query(
      `insert into audiences (id, project_id, name, definition, version, created_at_ms, updated_at_ms,
                              evaluated_at, refresh_ms, failure, deleted_at_ms)
       select $1, 'one', $1, '{}', 1, 0, 0, ${values}`,
      [id],
    );
  };

  const NOW = '(extract(epoch from now()) * 1000000)::int8';

  beforeEach(async () => {
    await database().script(`
      delete from endpoints; delete from audiences; delete from projects where id in ('one', 'two');
      insert into projects (id, name, timezone, session_secret, created_at_ms)
      select id, id, 'UTC', decode(repeat('00', 32), 'hex'), 0 from unnest(array['one', 'two']) id`);
  });

  test('a webhook is named by its description or its host, fails from the first attempt on, and not while it is paused', async () => {
    await addEndpoint('fails', 'failures = 3');
    await addEndpoint('unnamed', 'failures = 1', null);
    await addEndpoint('stopped', "disabled = 'gone'");
    await addEndpoint('paused', "failures = 3, disabled = 'request'");
    await addEndpoint('well', 'failures = 0');

    const found = await findUnwell(database(), 'one');

    expect(found.map(({ name, failures }) => [name, failures])).toEqual([
      ['fails', 3],
      ['hooks.example:8443', 1],
      ['stopped', 0],
    ]);
    expect(await findUnwell(database(), 'two')).toEqual([]);
    expect(await findUnwell(database(), null)).toHaveLength(3);
  });

  test('an audience is late a minute after it was due, and failing whatever its refresh is', async () => {
    await addAudience('late', `${NOW} - 121000000, 60000, null, null`);
    await addAudience('in time', `${NOW} - 100000000, 60000, null, null`);
    await addAudience('manual', '0, null, null, null');
    await addAudience('failing', "null, null, 'QUERY_LIMIT', null");
    await addAudience('waiting', "0, 60000, 'WAITING_FOR_ANALYTICS', null");
    await addAudience('deleted', "0, 60000, 'QUERY_LIMIT', 1");

    const found = await findUnwell(database(), 'one');

    expect(found.map(({ code, id }) => [code, id])).toEqual([
      ['audience_late', 'late'],
      ['audience_failing', 'failing'],
    ]);
  });
}
