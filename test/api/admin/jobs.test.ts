import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import type { Job } from '../../../services/operations/jobs/job.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { ask } from '../../../services/cli/client/ask.ts';
import { operation } from '../../../schemas/operations.ts';
import type { JobCommands } from '../../../services/operations/jobs/job.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { type AdminServer, type AdminServerOptions, serveAdmin } from '../../support/http/admin-server.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A job as HTTP shows it. */
type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly state: string };

describe.each(DATABASES)('jobs, on $name', ({ share }) => {
  const database = share();
  beforeEach(() => database().script('delete from jobs'));

  test('a job is answered with 202 and its address, where its progress and its result are', async () => {
    const work = Promise.withResolvers<void>();
    const { client } = await serve(async ({ since }, { report }) => {
      report({ done: 1, total: 4, unit: 'records' });
      await work.promise;
      return { since };
    });

    const answer = await post(client, { since: '7d' });
    const path = answer.headers.get('location') ?? '';
    const job = (await answer.json()) as Shown;

    expect([answer.status, path]).toEqual([202, `/v1/admin/jobs/${job.id}`]);
    expect(job).toMatchObject({ kind: 'verify', args: { since: '7d' }, principal: 'local', state: 'queued' });
    await eventually(async () =>
      expect(await read(client, path)).toMatchObject({ state: 'running', progress: { done: 1, total: 4 } }),
    );
    work.resolve();
    expect(await read(client, `${path}?wait=30`)).toMatchObject({
      state: 'done',
      result: { since: '7d' },
      problem: null,
      finished_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/) as string,
    });
    expect(await listed(client)).toMatchObject([{ id: job.id, state: 'done' }]);
  });

  test('who follows a job that has ended already is told its end', async () => {
    const { jobs } = await serve(async ({ deep }) => {
      if (deep === true) throw new TidemarkError('PROJECT_UNKNOWN', 'no such project');
      return 7;
    });
    const ends = [];
    for (const deep of [false, true]) {
      const { id } = await jobs.start({ kind: 'verify', args: { deep }, principal: 'local' });
      await eventually(async () => expect((await jobs.find(id))?.finishedAtMs).not.toBeNull());
      for await (const end of await jobs.follow(id)) ends.push(end);
    }

    expect(ends).toEqual([{ result: '7' }, { failure: { code: 'PROJECT_UNKNOWN', message: 'no such project' } }]);
    await expect(jobs.follow('job_none')).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test('a job that fails keeps its problem', async () => {
    const { client } = await serve(() => Promise.reject(new TidemarkError('PROJECT_UNKNOWN', 'no such project')));

    const { id } = (await (await post(client, {})).json()) as Shown;

    expect(await read(client, `/v1/admin/jobs/${id}?wait=30`)).toMatchObject({
      state: 'failed',
      result: null,
      problem: { status: 404, detail: 'no such project', error_code: 'PROJECT_UNKNOWN' },
    });
  });

  test('a job tells its rate and the time that is left', async () => {
    const { client } = await serve(async (_, { report, signal }) => {
      for (let done = 0; !signal.aborted; done += 1) {
        report({ done, total: 100_000, unit: 'records' });
        await delay(10);
      }
    });

    const { id } = (await (await post(client, {})).json()) as Shown;

    await eventually(async () => {
      const job = await read(client, `/v1/admin/jobs/${id}`);
      expect(job['rate']).toBeGreaterThan(1);
      expect(job['seconds_left']).toBeGreaterThan(100);
    });
  });

  test('DELETE cancels a job, whichever process runs it', async () => {
    const mine = await serve(untilAborted);
    const other = await serve(untilAborted);
    const { id } = (await (await post(mine.client, {})).json()) as Shown;

    const answer = await other.client.fetch(`/v1/admin/jobs/${id}`, { method: 'DELETE' });

    expect(answer.status).toBe(200);
    expect(await read(other.client, `/v1/admin/jobs/${id}?wait=30`)).toMatchObject({ state: 'cancelled' });
  });

  test('a client of a stream that goes away cancels its job', async () => {
    const { client } = await serve(untilAborted);
    const leaving = new AbortController();
    const streamed = await client.fetch('/v1/admin/verifications', {
      method: 'POST',
      body: '{}',
      headers: { accept: 'application/x-ndjson' },
      signal: leaving.signal,
    });
    const path = streamed.headers.get('location') ?? '';
    streamed.body?.cancel().catch(() => undefined);

    leaving.abort();

    expect(await read(client, `${path}?wait=30`)).toMatchObject({ state: 'cancelled' });
  });

  test('the command line cancels its job where it is interrupted, and waits for the end', async () => {
    let isOver = false;
    const begun = Promise.withResolvers<void>();
    const { client } = await serve(async (args, call) => {
      begun.resolve();
      await untilAborted(args, call).catch(() => delay(50));
      isOver = true;
      call.signal.throwIfAborted();
    });
    const giving = new AbortController();
    const order = { ...operation('POST /v1/admin/verifications', { body: {} }), streams: true };
    const asked = expect(ask(client, order, { signal: giving.signal })).rejects.toThrow('no more');
    await begun.promise;

    giving.abort(new Error('no more'));

    await asked;
    expect(isOver).toBe(true);
  });

  test('a job of a service that stops is interrupted', async () => {
    const { client, stop } = await serve(untilAborted);
    const { id } = (await (await post(client, {})).json()) as Shown;

    await stop();

    expect(await new SqlJobStore(database()).find(id)).toMatchObject({ state: 'interrupted' });
  });

  test('a job whose process died without a word becomes interrupted', async () => {
    const store = new SqlJobStore(database(), 50);
    const { id } = await store.add({ kind: 'verify', args: {}, principal: 'local' }, 'dead');

    await eventually(async () => expect(await store.find(id)).toMatchObject({ state: 'interrupted' }));

    expect((await store.find(id))?.failure?.message).toBe('The process that ran the job has ended.');
  });

  test('more jobs than run at once wait for their turn, and more than may wait are refused', async () => {
    const { client, jobs } = await serve(untilAborted, { jobs: { atOnce: 1, waiting: 1 } });
    const first = (await (await post(client, {})).json()) as Shown;
    const second = (await (await post(client, {})).json()) as Shown;

    const refused = await post(client, {});
    await eventually(async () => expect((await jobs.find(first.id))?.state).toBe('running'));
    expect((await jobs.find(second.id))?.state).toBe('queued');
    await client.fetch(`/v1/admin/jobs/${first.id}`, { method: 'DELETE' });

    expect(refused.status).toBe(429);
    await eventually(async () => expect((await jobs.find(second.id))?.state).toBe('running'));
  });

  test('a job that waits can be cancelled before it runs', async () => {
    const { client, jobs } = await serve(untilAborted, { jobs: { atOnce: 1 } });
    await post(client, {});
    const second = (await (await post(client, {})).json()) as Shown;

    await client.fetch(`/v1/admin/jobs/${second.id}`, { method: 'DELETE' });

    await eventually(async () => expect((await jobs.find(second.id))?.state).toBe('cancelled'));
  });

  test('jobs are listed newest first, in pages, by kind and state', async () => {
    const { client } = await serve(async () => 1);
    for (let n = 0; n < 5; n++)
      await ask(client, { ...operation('POST /v1/admin/verifications', { body: {} }), streams: true });

    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(client, `/v1/admin/jobs?limit=2&kind=verify&state=done${cursor && `&cursor=${cursor}`}`);
      seen.push(...(page['jobs'] as Shown[]).map(({ id }) => id));
      cursor = page['next_cursor'] as string | null;
    }

    const all = (await new SqlJobStore(database()).list(100)).map(({ id }: Job) => id);
    expect(seen).toEqual(all);
    expect(await listed(client, '?state=failed')).toEqual([]);
    expect(await listed(client, '?kind=import')).toEqual([]);
  });

  test('of jobs that have ended the newest thousand are kept, and none for more than 30 days', async () => {
    const store = new SqlJobStore(database());
    await database().query(
      `insert into jobs (id, kind, args, principal, state, claim, created_at_ms, finished_at_ms, claimed_until_ms)
       select 'job_' || n, 'verify', '{}', 'local', 'done', 'x', n, (extract(epoch from now()) * 1000)::int8, 0
       from generate_series(1, 1200) n`,
    );

    await store.add({ kind: 'verify', args: {}, principal: 'local' }, 'me');
    expect(await count()).toBe(1_000);
    await database().query(
      `update jobs set finished_at_ms = finished_at_ms - 31 * 86400000::int8 where state = 'done'`,
    );
    await store.add({ kind: 'verify', args: {}, principal: 'local' }, 'me');

    expect(await count()).toBe(2);
  });

  async function serve(work: JobCommands['verify'], options: AdminServerOptions = {}): Promise<AdminServer> {
    const jobs = { heartbeatMs: 20, signOfLifeMs: 20, ...options.jobs };
    const served = { commands: { verify: work } };
    return serveAdmin(await temporaryFolder(), served, { database: database(), ...options, jobs });
  }

  async function count(): Promise<number> {
    const [row] = await database().query<{ readonly n: number }>('select count(*)::int4 as n from jobs');
    return row?.n ?? 0;
  }
});

test('a job of a kind that this version does not know is not continued', async () => {
  const store = { find: async () => ({ kind: 'toString' }) } as unknown as SqlJobStore;
  const jobs = new JobRunner({ commands: {}, jobs: store, logger: { warn: () => undefined } });

  await expect(jobs.resume('job_1')).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
});

const untilAborted: JobCommands['verify'] = (_, { signal }) =>
  new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

type Client = AdminServer['client'];

function post(client: Client, body: object): Promise<Response> {
  return client.fetch('/v1/admin/verifications', { method: 'POST', body: JSON.stringify(body) });
}

async function read(client: Client, path: string): Promise<Shown> {
  return (await (await client.get(path)).json()) as Shown;
}

async function listed(client: Client, query = ''): Promise<readonly Shown[]> {
  return (await read(client, `/v1/admin/jobs${query}`))['jobs'] as readonly Shown[];
}
