import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProjectStatus } from '../../../../services/api/admin/status/project-status.ts';
import { SqlStoreFigures } from '../../../../services/operations/status/store-figures.ts';
import { hourOf } from '../../../../services/messages/day-and-hour.ts';
import { recordOf, track } from '../../../support/messages/messages.ts';
import { sharedDatabase } from '../../../support/stores/database.ts';
import { ADMIN_KEY, PROJECT, READ_KEY, ReadingServer, WRITE_KEY } from '../../../support/http/reading-server.ts';

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
});
afterEach(() => server.stop());

const TOPIC = 'tidemark.track';

function record(count: number, topic = TOPIC, partition = 0): void {
  for (let n = 0; n < count; n++) {
    server.recorded.put(topic, partition, recordOf(track({ projectId: PROJECT.id, userId: `u${n}` })));
  }
}

describe('the status of a project', () => {
  const read = async (): Promise<ProjectStatus> => {
    const response = await server.request('/v1/status', {}, READ_KEY);
    expect(response.status).toBe(200);
    return (await response.json()) as ProjectStatus;
  };

  test('a project is told its hours and how far the stores are behind', async () => {
    record(3);
    server.progress.move('projector', TOPIC, 0, 3n);

    const { lag_seconds: lag, ...status } = await read();

    expect(status).toEqual({
      hours: [{ hour: '2026-05-10T08:00:00.000000Z', messages: 3, repeats: 1 }],
      refused_today: 2,
      verification: null,
    });
    expect(lag.profiles).toBe(0);
    expect(lag.analytics).toBeGreaterThan(0);
  });

  test('what cannot be found out is null', async () => {
    server.figures.unreachable = true;

    const { lag_seconds: lag, ...status } = await read();

    expect(status).toEqual({ hours: null, refused_today: null });
    expect(lag).toEqual({ profiles: 0, analytics: 0 });
  });

  test('the status of a project needs a key that may read, and refuses parameters', async () => {
    expect((await server.request('/v1/status', {}, WRITE_KEY)).status).toBe(401);
    const response = await server.request('/v1/status?since=1', {}, READ_KEY);
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid-parameter' }]);
  });

  describe('in the store', () => {
    const database = sharedDatabase();
    const figures = () =>
      new SqlStoreFigures(database(), { ask: () => Promise.reject(new Error('this test asks no analytics')) });

    test('hours are summed over partitions, the newest first, without those of others and of the day before', async () => {
      const hour = hourOf(BigInt(Date.now()) * 1_000n);
      await database().query(
        `insert into applied_counts (topic, partition, project_id, hour, messages, repeats)
         select 'a', p, project_id, $1::int4 - back, 10, 1
         from generate_series(0, 1) p, unnest(array[0, 2, 30]) back, unnest(array['one', 'two']) project_id`,
        [hour],
      );

      const { hours } = await figures().ofProject('one');

      expect(hours).toEqual([
        { hour, messages: 20, repeats: 2 },
        { hour: hour - 2, messages: 20, repeats: 2 },
      ]);
    });

    test('refusals of today count, and hours of the last verification', async () => {
      expect(await figures().ofProject('one')).toMatchObject({ refusedToday: 0, verification: null });
      const day = Math.floor(Date.now() / 86_400_000);
      await database().query(
        `insert into refusals (project_id, key_id, path, code, pointer, day, count, first_at_ms, last_at_ms, message)
         values ('one', 'k', 'p', 'c', '', $1::int4, 4, 0, 0, ''), ('one', 'k', 'q', 'c', '', $1::int4, 1, 0, 0, ''),
                ('one', 'k', 'p', 'c', '', $1::int4 - 1, 8, 0, 0, ''), ('one', 'k', 'p', 'adjusted', '', $1::int4, 32, 0, 0, ''),
                 ('two', 'k', 'p', 'c', '', $1::int4, 16, 0, 0, '')`,
        [day],
      );
      await database().script(`
        insert into verifications (begun_at_ms, finished_at_ms) values (1, 2);
        insert into verification_hours (verification, hour_ms, project_id, is_equal, report)
        values ('last', 0, 'one', true, '{}'), ('last', 1, 'one', false, '{}'), ('last', 0, 'two', false, '{}'), ('job_1', 0, 'one', false, '{}')`);

      const { refusedToday, verification } = await figures().ofProject('one');

      expect(refusedToday).toBe(5);
      expect(verification).toEqual({ finishedAtMs: 2, hours: 2, different: 1 });
      expect((await figures().ofProject('three')).verification).toEqual({ finishedAtMs: 2, hours: 0, different: 0 });
    });
  });
});

describe('partitions', () => {
  const list = async (query = '') => {
    const response = await server.request(`/v1/admin/partitions${query}`, {}, ADMIN_KEY);
    return { status: response.status, body: (await response.json()) as Listed };
  };
  interface Listed {
    readonly partitions: readonly { readonly topic: string; readonly partition: number }[];
    readonly next_cursor: string | null;
    readonly code?: string;
  }

  test('each partition tells how much of it is unread by profiles and by analytics', async () => {
    record(5);
    record(2, TOPIC, 1);
    server.progress.move('projector', TOPIC, 0, 5n);
    server.progress.move('sink', TOPIC, 0, 1n);

    const { body } = await list();

    expect(body).toEqual({
      partitions: [
        { topic: TOPIC, partition: 0, end: '5', unread: { profiles: 0, analytics: 4 } },
        { topic: TOPIC, partition: 1, end: '2', unread: { profiles: 2, analytics: 2 } },
      ],
      next_cursor: null,
    });
  });

  test('partitions come in pages, and a wrong parameter is refused', async () => {
    record(1);
    record(1, 'tidemark.identify');

    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${first.body.next_cursor}`);

    expect([first, second].map(({ body }) => body.partitions[0]?.topic)).toEqual(['tidemark.identify', TOPIC]);
    for (const query of ['?limit=0', '?cursor=x', '?topic=x'])
      expect(await list(query), query).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
  });
});
