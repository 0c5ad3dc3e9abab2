import { beforeEach, describe, expect, test } from 'vitest';
import { SqlRepeatStore } from '../../services/stores/service-state/repeat-store.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { type AdminServer, type Served, serveAdmin } from '../support/http/admin-server.ts';
import { DATABASES } from '../support/stores/tested-databases.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY_MS = 24 * 3_600_000;

describe.each(DATABASES)('an Idempotency-Key, on $name', ({ share }) => {
  const database = share();
  beforeEach(() =>
    database().script('delete from repeats; delete from jobs; delete from api_keys; delete from projects'),
  );

  async function serve(served: Served = {}): Promise<AdminServer> {
    return serveAdmin(await temporaryFolder(), served, { database: database() });
  }

  test('a request sent again with its Idempotency-Key is answered the same, and done and recorded once', async () => {
    const { client, audit, projects } = await serve();

    const first = await post(client, 'one', { name: 'Shop' });
    const again = await post(client, 'one', { name: 'Shop' });
    const other = await post(client, 'two', { name: 'Shop' });

    expect([first.status, again.status]).toEqual([201, 201]);
    const made = await first.text();
    expect(await again.text()).toBe(made);
    const { id } = JSON.parse(made) as { readonly id: string };
    expect(again.headers.get('location')).toBe(`/v1/admin/projects/${id}`);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(other.headers.get('location')).not.toBe(first.headers.get('location'));
    expect(await projects.listProjects()).toHaveLength(2);
    expect(await audit.list({ projectId: id }, 10)).toHaveLength(1);
  });

  test('another body under the same Idempotency-Key is refused with 422', async () => {
    const { client } = await serve();
    await post(client, 'one', { name: 'Shop' });

    const other = await post(client, 'one', { name: 'Other' });

    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ code: 'key-reused' });
  });

  test('one of several requests that are sent at once with one Idempotency-Key is carried out', async () => {
    let calls = 0;
    const gate = Promise.withResolvers<void>();
    const projects = new SqlProjectStore(database());
    const create = projects.createProject.bind(projects);
    projects.createProject = async (project) => {
      calls++;
      await gate.promise;
      return create(project);
    };
    const { client } = await serve({ projects });

    const all = [1, 2, 3, 4].map(() => post(client, 'one', { name: 'Shop' }));
    const answered: Response[] = [];
    for (const one of all) void one.then((response) => answered.push(response));
    await eventually(() => expect(answered).toHaveLength(3));
    gate.resolve();

    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(await answered[0]?.json()).toMatchObject({ status: 409, code: 'in-progress' });
    expect([calls, statuses.toSorted((a, b) => a - b)]).toEqual([1, [201, 409, 409, 409]]);
  });

  test('a request that was refused, or that failed, is carried out when it is sent again', async () => {
    const { client, database: served } = await serve();
    served.unreachable = /projects/;
    const failed = await post(client, 'one', { name: 'Shop' });
    served.unreachable = false;

    expect([failed.status, (await post(client, 'one', { name: 'Shop' })).status]).toEqual([503, 201]);
  });

  test('the secret of a key is not shown again, nor kept, and the answer names the key', async () => {
    const { client } = await serve();
    const first = await post(client, 'one', { name: 'Jobs' }, '/v1/admin/keys');

    const again = await post(client, 'one', { name: 'Jobs' }, '/v1/admin/keys');

    const { id, key } = (await first.json()) as { id: string; key: string };
    expect(key).toMatch(/^\w{20,}$/);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      code: 'already-done',
      detail: expect.stringContaining(`/v1/admin/keys/${id}`) as string,
    });
    const [kept] = await database().query<Record<string, unknown>>('select * from repeats');
    expect(
      JSON.stringify(kept, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
    ).not.toContain(key);
  });

  test('a job whose answer was streamed is not started again, and the answer names it', async () => {
    let runs = 0;
    const { client } = await serve({ commands: { verify: async () => ++runs } });
    const streams = { accept: 'application/x-ndjson' };
    const streamed = await post(client, 'one', {}, '/v1/admin/verifications', streams);
    await streamed.text();

    const again = await post(client, 'one', {}, '/v1/admin/verifications', streams);

    expect([again.status, runs]).toEqual([409, 1]);
    expect(await again.json()).toMatchObject({
      code: 'already-done',
      detail: expect.stringContaining(streamed.headers.get('location') ?? 'no job') as string,
    });
  });

  test('an Idempotency-Key of more than 255 characters is refused with 400, and its name', async () => {
    const { client } = await serve();

    const long = await post(client, 'k'.repeat(256), { name: 'Shop' });

    expect(long.status).toBe(400);
    expect(await long.json()).toMatchObject({
      code: 'invalid-parameter',
      detail: 'Idempotency-Key is longer than 255 characters.',
    });
  });

  test('a request is forgotten after 24 hours, and 10,000 of one key are kept', async () => {
    const store = new SqlRepeatStore(database());
    const request = { principal: 'key_1', fingerprint: 'f', atMs: 0 };
    await store.begin({ ...request, name: 'old' });
    await store.begin({ ...request, name: 'other', principal: 'key_2', atMs: DAY_MS });
    expect(await store.begin({ ...request, name: 'old', atMs: DAY_MS })).toBeUndefined();
    await database().query(
      `insert into repeats (name, principal, fingerprint, made_at_ms)
       select 'n' || n, 'key_1', 'f', $1::int8 + n from generate_series(1, 10010) n`,
      [BigInt(DAY_MS)],
    );

    await store.begin({ ...request, name: 'newest', atMs: DAY_MS + 20_000 });

    const [row] = await database().query<{ n: bigint }>("select count(*) n from repeats where principal = 'key_1'");
    expect(Number(row?.n)).toBe(10_000);
    expect(await store.begin({ ...request, name: 'n1', atMs: DAY_MS + 20_000 })).toBeUndefined();
    expect(await store.begin({ ...request, name: 'other', principal: 'key_2', atMs: DAY_MS })).toBeDefined();
  });
});

function post(
  client: AdminServer['client'],
  key: string,
  body: object,
  path = '/v1/admin/projects',
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return client.fetch(path, {
    method: 'POST',
    headers: { 'idempotency-key': key, ...headers },
    body: JSON.stringify(body),
  });
}
