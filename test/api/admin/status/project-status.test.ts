import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProjectStatus } from '../../../../services/api/admin/status/project-status.ts';
import { SqlStoreFigures } from '../../../../services/operations/status/store-figures.ts';
import { hourOf } from '../../../../services/messages/day-and-hour.ts';
import { formatMicros } from '../../../../services/messages/timestamp.ts';
import { recordOf, track } from '../../../support/messages/messages.ts';
import { sharedDatabase } from '../../../support/stores/database.ts';
import type { InstallationStatus } from '../../../../services/api/admin/status/attention.ts';
import { insertEndpoint, insertEvaluation } from '../../../support/http/inserted-rows.ts';
import { ADMIN_KEY, OTHER_PROJECT, PROJECT, READ_KEY, ReadingServer } from '../../../support/http/reading-server.ts';

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
});
afterEach(() => server.stop());

const TOPIC = 'tidemark.track';
const DAY_MS = 86_400_000;

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
    const hour = hourOf(BigInt(Date.now()) * 1_000n);
    await server.database.query(
      `insert into applied_counts (topic, partition, project_id, hour, messages, repeats) values ($1, 0, $2, $3::int4, 3, 1)`,
      [TOPIC, PROJECT.id, hour],
    );
    const group = { projectId: PROJECT.id, keyId: 'key_write', path: '/v1/track', code: 'invalid-body', pointer: '' };
    const example = { message: 'wrong', example: null, userAgent: null };
    for (const [count, lastAtMs] of [[2, Date.now()] as const, [1, Date.now() - DAY_MS] as const])
      await server.refusals.add([{ ...group, ...example, count, firstAtMs: lastAtMs, lastAtMs }]);

    const { lag_seconds: lag, ...status } = await read();

    expect(status).toEqual({
      hours: [{ hour: formatMicros(BigInt(hour) * 3_600_000_000n), messages: 3, repeats: 1 }],
      refused_today: 2,
      refused_yesterday: 1,
      refused_days: [0, 0, 0, 0, 0, 1, 2],
      verification: null,
      moved_audiences: [],
      attention: [],
    });
    expect(lag.profiles).toBe(0);
    expect(lag.analytics).toBeGreaterThan(0);
  });

  test('what cannot be found out is null', async () => {
    server.database.unreachable = true;

    const { lag_seconds: lag, ...status } = await read();

    expect(status).toEqual({
      hours: null,
      refused_today: null,
      refused_yesterday: null,
      refused_days: null,
      moved_audiences: null,
      attention: null,
    });
    expect(lag).toEqual({ profiles: 0, analytics: 0 });
  });

  test('a webhook that fails and an audience that is late are told to their project, and with all others to operators', async () => {
    const evaluation = { at: 1_000_000n, version: 1, cause: 'refresh', entered: 0, left: 0, members: 1 } as const;
    await server.addAudience('aud_late', { name: 'Gold', refreshMs: 60_000, evaluation });
    await server.addAudience('aud_other', { projectId: OTHER_PROJECT.id, name: 'Theirs', failure: 'QUERY_LIMIT' });
    const { endpoint } = await insertEndpoint(server.database.real, PROJECT.id, 'aud_late');
    await server.database.query(`update endpoints set url = 'https://me:secret@hooks.example/in?key=1', failures = 2`);

    const { attention } = await read();
    const response = await server.request('/v1/admin/status', {}, ADMIN_KEY);
    const ofAll = ((await response.json()) as InstallationStatus).attention.filter(
      ({ object_id: id }) => id !== undefined,
    );

    const ours = { project_id: PROJECT.id };
    const [webhook, late] = [
      {
        code: 'endpoint_failing',
        reason: 'the webhook hooks.example fails',
        link: 'docs/webhooks.md',
        object_id: endpoint,
      },
      {
        code: 'audience_late',
        reason: 'the update of the audience Gold is overdue',
        link: 'docs/audiences.md',
        object_id: 'aud_late',
      },
    ];
    expect(attention).toEqual([
      { ...webhook, ...ours },
      { ...late, ...ours },
    ]);
    expect(ofAll.map(({ code, project_id: project }) => [code, project])).toEqual([
      ['endpoint_failing', PROJECT.id],
      ['audience_late', PROJECT.id],
      ['audience_failing', OTHER_PROJECT.id],
    ]);
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

    test('refusals of today and of yesterday count, and hours of the verification that ended last', async () => {
      expect(await figures().ofProject('one')).toMatchObject({
        refusedToday: 0,
        refusedYesterday: 0,
        verification: null,
      });
      const day = Math.floor(Date.now() / 86_400_000);
      await database().query(
        `insert into refusals (project_id, key_id, path, code, pointer, day, count, first_at_ms, last_at_ms, message)
         values ('one', 'k', 'p', 'c', '', $1::int4, 4, 0, 0, ''), ('one', 'k', 'q', 'c', '', $1::int4, 1, 0, 0, ''),
                ('one', 'k', 'p', 'c', '', $1::int4 - 1, 8, 0, 0, ''), ('one', 'k', 'p', 'adjusted', '', $1::int4, 32, 0, 0, ''),
                 ('two', 'k', 'p', 'c', '', $1::int4, 16, 0, 0, '')`,
        [day],
      );
      await database().script(`
        insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, finished_at_ms, claimed_until_ms)
        values ('own', 'verify', '{"hours":3}', 'service', 'done', '{"until":null}', '', 1, 2, 0);
        insert into verification_hours (verification, hour_ms, project_id, is_equal, report)
        values ('own', 0, 'one', true, '{}'), ('own', 1, 'one', false, '{}'), ('own', 0, 'two', false, '{}'), ('job_1', 0, 'one', false, '{}')`);

      const { refusedToday, refusedYesterday, verification } = await figures().ofProject('one');

      expect([refusedToday, refusedYesterday]).toEqual([5, 8]);
      expect(verification).toEqual({ finishedAtMs: 2, hours: 2, different: 1, untilMs: 1 });
      const { verification: none } = await figures().ofProject('three');
      expect(none).toEqual({ finishedAtMs: 2, hours: 0, different: 0, untilMs: 1 });
    });

    test('a verification that an operator began counts where it ended last, was done, and was of this project too', async () => {
      await database().script(`
        delete from jobs;
        delete from verification_hours;
        insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, finished_at_ms, claimed_until_ms)
        values ('own', 'verify', '{"hours":3}', 'service', 'done', '{"until":"1970-01-01T00:00:00.005Z"}', '', 1, 9, 0);
        insert into verification_hours (verification, hour_ms, project_id, is_equal, report)
        values ('own', 0, 'one', true, '{}'), ('job_1', 0, 'one', true, '{}'), ('job_1', 1, 'one', false, '{}')`);
      const add = async (id: string, state: string, args: string, finishedAtMs: number): Promise<unknown> =>
        database().query(
          `insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, finished_at_ms, claimed_until_ms)
           values ($1, 'verify', $2, 'p', $3, '{"until":null}', 'o', 7, $4::int8, 0)`,
          [id, args, state, BigInt(finishedAtMs)],
        );
      await add('job_1', 'done', '{"since":"24h"}', 20);
      await add('job_2', 'failed', '{}', 30);
      await add('job_3', 'done', '{"project":"two"}', 40);

      const { verification: one } = await figures().ofProject('one');
      const { verification: two } = await figures().ofProject('two');

      expect(one).toEqual({ finishedAtMs: 20, hours: 2, different: 1, untilMs: 7 });
      expect(two).toEqual({ finishedAtMs: 40, hours: 0, different: 0, untilMs: 7 });
      await add('job_4', 'done', '{}', 50);
      expect((await figures().ofProject('one')).verification, 'nothing had arrived in its hours').toEqual(one);
      await database().query("delete from jobs where id in ('job_1', 'job_3', 'job_4')");
      expect((await figures().ofProject('one')).verification).toMatchObject({ finishedAtMs: 9, untilMs: 5 });
    });

    test('the audiences that moved most within a day come first, one without a size a day ago after them', async () => {
      await database().script(`
        insert into projects (id, name, timezone, session_secret, created_at_ms)
        select name, name, 'UTC', decode(repeat('00', 32), 'hex'), 0 from unnest(array['moving', 'other']) name;
        insert into audiences (id, project_id, name, definition, version, created_at_ms, updated_at_ms, members, deleted_at_ms)
        select 'aud_' || name, project_id, name, '{}', 1, 0, 0, members, deleted
        from (values ('moving', 'fell', 5, null), ('moving', 'rose', 12, null), ('moving', 'new', 99, null), ('moving', 'gone', 1, 1),
                     ('moving', 'same', 7, null), ('moving', 'never', null, null), ('other', 'theirs', 1, null))
             as given (project_id, name, members, deleted)`);
      const hour = 3_600_000_000n;
      const add = (name: string, hoursAgo: bigint, members: number): Promise<void> =>
        insertEvaluation(database(), `aud_${name}`, BigInt(Date.now()) * 1_000n - hoursAgo * hour, members);
      for (const [name, before] of Object.entries({ fell: 20, rose: 10, same: 7, gone: 90, theirs: 90 })) {
        await add(name, 48n, 50);
        await add(name, 25n, before);
        await add(name, 23n, 77);
      }
      await add('new', 1n, 99);

      const { movedAudiences } = await figures().ofProject('moving');

      expect(movedAudiences).toEqual([
        { id: 'aud_fell', name: 'fell', members: 5, before: 20 },
        { id: 'aud_rose', name: 'rose', members: 12, before: 10 },
        { id: 'aud_new', name: 'new', members: 99, before: null },
        { id: 'aud_same', name: 'same', members: 7, before: 7 },
      ]);
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

  test('partitions come in pages', async () => {
    record(1);
    record(1, 'tidemark.identify');

    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${first.body.next_cursor}`);

    expect([first, second].map(({ body }) => body.partitions[0]?.topic)).toEqual(['tidemark.identify', TOPIC]);
  });
});
