/** What operators are refused, and what the audit log says of what they changed. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DEAD_LETTER, SETTLED_LETTER, UNDECODABLE_LETTER } from '../../support/http/admin-parts.ts';
import type { Project } from '../../../services/stores/projects/project-store.ts';
import { ADMIN_KEY, ReadingServer } from '../../support/http/reading-server.ts';

let server: ReadingServer;
let project: string;

beforeAll(async () => {
  server = await ReadingServer.start();
  project = (await server.admin.projects.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null })).id;
});

afterAll(() => server.stop());

/** A project that has a user. */
async function full(name: string): Promise<Project> {
  const made = await server.admin.projects.createProject({ name, timezone: 'UTC', rateLimit: null });
  await server.addProfile('ada', { projectId: made.id });
  return made;
}

interface Problem {
  readonly code: string;
  readonly error_code?: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string }[];
}

function send(method: string, path: string, body?: unknown, key = ADMIN_KEY): Promise<Response> {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const known = { PROJECT: project, LETTER: DEAD_LETTER, SETTLED: SETTLED_LETTER, UNDECODABLE: UNDECODABLE_LETTER };
  const named = Object.entries(known).reduce((text, [name, id]) => text.replace(name, encodeURIComponent(id)), path);
  return server.request(`/v1/admin${named}`, init, key);
}

describe('a request of an operator that is wrong', () => {
  test('a body that is no object, and a change of nothing, are refused', async () => {
    for (const [path, body] of [
      ['/projects', []],
      ['/dead-letters/LETTER/edit', {}],
    ] as const) {
      const answer = await send('POST', path, body);

      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: 'invalid-body', errors: [{ path: '' }] },
      ]);
    }
  });

  test.each([
    ['POST', '/projects', { name: '' }, 400, 'COMMAND_INVALID', '/name: must not be empty'],
    ['POST', '/projects', { name: 'x', timezone: 'Mars/Base' }, 400, 'COMMAND_INVALID', 'IANA time zone'],
    ['POST', '/projects/nobody/keys', { scopes: ['read'] }, 404, 'PROJECT_UNKNOWN', 'nobody'],
    ['PATCH', '/projects/PROJECT', {}, 400, 'COMMAND_INVALID', 'Nothing to change'],
    ['PATCH', '/projects/nobody', { name: 'x' }, 404, 'PROJECT_UNKNOWN', 'no such project'],
    ['GET', '/projects/nobody', undefined, 404, 'PROJECT_UNKNOWN', 'no such project'],
    ['DELETE', '/projects/nobody', undefined, 404, 'PROJECT_UNKNOWN', 'No project has the id nobody'],
    ['GET', '/projects/nobody/keys', undefined, 404, 'PROJECT_UNKNOWN', 'no such project'],
    ['DELETE', '/keys/key_x', undefined, 404, 'KEY_UNKNOWN', 'key_x'],
    ['POST', '/generations', { kind: 'all' }, 400, 'COMMAND_INVALID', 'one of profiles, analytics, not "all"'],
    ['POST', '/generations', { kind: 'profiles', rate_limit: 0 }, 400, 'COMMAND_INVALID', 'a whole number'],
    ['POST', '/generations', { kind: 'profiles', as_of: 'soon' }, 400, 'COMMAND_INVALID', 'as_of is an instant'],
    ['POST', '/generations', { kind: 'profiles', as_of: '2290-01-01' }, 400, 'COMMAND_INVALID', 'not in the future'],
    ['POST', '/generations/profiles/9/compare', undefined, 404, 'COMMAND_INVALID', 'no such generation'],
    ['POST', '/generations/profiles/1/swap', undefined, 409, 'COMMAND_INVALID', 'is not being built'],
    ['POST', '/generations/profiles/1/drop', undefined, 409, 'COMMAND_INVALID', 'it stays'],
    ['POST', '/generations/profiles/2/rollback', {}, 409, 'COMMAND_INVALID', 'is not live'],
    ['POST', '/verifications', { since: 5, project: 5 }, 400, 'COMMAND_INVALID', '/since: '],
    ['POST', '/generations', { kind: 'profiles', as_of: 5 }, 400, 'COMMAND_INVALID', '/as_of: '],
    ['POST', '/generations', { kind: 'profiles', project: 'a b' }, 400, 'COMMAND_INVALID', '/project: '],
    ['POST', '/verifications', { since: 'soon' }, 400, 'COMMAND_INVALID', 'since is an ISO-8601'],
    ['POST', '/dead-letters/none/edit', { event: 'x' }, 404, 'DEAD_LETTER_UNKNOWN', 'There is no dead letter none'],
    ['GET', '/dead-letters/none', undefined, 404, 'DEAD_LETTER_UNKNOWN', 'There is no dead letter none'],
    ['POST', '/dead-letters/SETTLED/edit', { event: 'x' }, 409, 'DEAD_LETTER_SETTLED', 'was replayed before'],
    ['POST', '/dead-letters/UNDECODABLE/edit', { event: 'x' }, 409, 'MESSAGE_UNDECODABLE', 'nothing to correct'],
    ['POST', '/dead-letters/replay', {}, 400, 'COMMAND_INVALID', 'Name dead letters'],
    ['POST', '/dead-letters/replay', { ids: [DEAD_LETTER], dry_run: 'true' }, 400, 'COMMAND_INVALID', '/dry_run: '],
    ['POST', '/dead-letters/drop', { ids: [DEAD_LETTER], dry_run: 1 }, 400, 'COMMAND_INVALID', '/dry_run: '],
    ['POST', '/dead-letters/drop', { ids: ['x'] }, 400, 'COMMAND_INVALID', 'is no topic/partition/offset'],
  ])('%s %s with %j is refused with the code of the failure', async (...[method, path, body, status, code, detail]) => {
    const answer = await send(method, path, body);

    expect(answer.status).toBe(status);
    const problem = (await answer.json()) as Problem;
    expect([problem.error_code, problem.detail]).toEqual([code, expect.stringContaining(detail)]);
  });

  test('a project that is not empty is not deleted', async () => {
    const { id } = await full('Both');
    await server.admin.projects.addKey(id, { scopes: ['read'], sha256: 'a'.repeat(64) });

    const answer = await send('DELETE', `/projects/${id}`);

    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { detail: expect.stringContaining('keys in use, users') as string },
    ]);
  });
});

describe('the deletion of a project that is not empty', () => {
  interface Deleting {
    readonly id: string;
    readonly kind: string;
    readonly state: string;
    readonly args: object;
  }

  const projectToDelete = async (name: string): Promise<{ path: string; id: string; done: () => void }> => {
    const { id } = await full(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.admin.erasing = promise;
    onTestFinished(() => {
      server.admin.erasing = Promise.resolve();
      resolve();
    });
    return { id, path: `/projects/${id}?confirm=${name}`, done: resolve };
  };
  const jobAt = async (path: string) => (await (await send('GET', `${path}?wait=10`)).json()) as Deleting;

  test('it is answered with a job, and again with the same one while it runs, and then there is no project', async () => {
    const { id, path, done } = await projectToDelete('Full');

    const first = await send('DELETE', path);
    const again = await send('DELETE', path);
    const other = await send('DELETE', `/projects/${id}?confirm=Empty`);
    done();

    const at = first.headers.get('location') ?? '';
    expect([first.status, again.status, other.status]).toEqual([202, 202, 409]);
    expect(again.headers.get('location')).toBe(at);
    expect(await first.json()).toMatchObject({ kind: 'project erase', args: { project: id } });
    expect(await jobAt(at.slice('/v1/admin'.length))).toMatchObject({ state: 'done' });
    expect((await send('DELETE', path)).status).toBe(404);
    expect((await send('GET', `/projects/${id}`)).status).toBe(404);
    const entries = await server.audit.list({ projectId: id }, 10);
    expect(entries).toMatchObject([{ action: 'project.delete', projectId: id }]);
    expect(entries[0]?.before).toContain('"Full"');
  });

  test('a job that was cancelled goes on when the deletion is sent again', async () => {
    const { path, done } = await projectToDelete('Cancelled');
    const at = (await send('DELETE', path)).headers.get('location')?.slice('/v1/admin'.length) ?? '';
    await send('DELETE', at);
    expect(await jobAt(at)).toMatchObject({ state: 'cancelled' });

    const again = await send('DELETE', path);
    done();

    expect([again.status, again.headers.get('location')]).toEqual([202, `/v1/admin${at}`]);
    expect(await jobAt(at)).toMatchObject({ state: 'done' });
  });
});

describe('lists of operators', () => {
  test('projects come newest first, in pages', async () => {
    const before = (await server.admin.projects.listProjects()).at(-1)?.name;
    await server.admin.projects.createProject({ name: 'Second', timezone: 'UTC', rateLimit: null });
    interface Page {
      readonly projects: readonly { readonly name: string }[];
      readonly next_cursor: string | null;
    }

    const first = (await (await send('GET', '/projects?limit=1')).json()) as Page;
    const rest = (await (await send('GET', `/projects?limit=1000&cursor=${first.next_cursor}`)).json()) as Page;

    expect([first, rest].map(({ projects }) => projects[0]?.name)).toEqual(['Second', before]);
    expect(rest.next_cursor).toBeNull();
  });
});

describe('the audit log', () => {
  test('each change of an operator is in the audit log, without the key itself', async () => {
    const since = BigInt(Date.now()) * 1_000n;
    const made = (await (await send('POST', '/projects', { name: 'New' })).json()) as { id: string };
    await send('PATCH', `/projects/${made.id}`, { name: 'Newer' });
    const key = (await (await send('POST', `/projects/${made.id}/keys`, { scopes: ['read'] })).json()) as {
      id: string;
      key: string;
    };
    await send('DELETE', `/keys/${key.id}`);
    await send('POST', '/generations', { kind: 'profiles' });
    await send('PATCH', '/generations/profiles/2', { rate_limit: 5 });
    await send('POST', '/generations/profiles/2/compare');
    await send('POST', '/dead-letters/drop', { ids: [DEAD_LETTER] });
    await send('POST', '/dead-letters/drop', { ids: [DEAD_LETTER], dry_run: true });
    await send('POST', '/dead-letters/LETTER/edit', { properties: { total: 12 } });
    await send('POST', '/dead-letters/LETTER/edit?dry_run=true', { properties: { total: 12 } });
    await send('POST', '/verifications', {});
    await send('DELETE', `/projects/${made.id}`);

    const entries = (await server.audit.list({ since }, 100)).toReversed();
    expect(entries.map(({ action }) => action)).toEqual([
      'project.create',
      'project.change',
      'key.create',
      'key.revoke',
      'generation.build',
      'generation.change',
      'dead-letters.drop',
      'dead-letters.edit',
      'project.delete',
    ]);
    expect(entries[1]).toMatchObject({ object: made.id, projectId: made.id, principalId: 'key_admin' });
    expect(entries[1]?.before).toContain('"New"');
    expect(entries[1]?.after).toContain('"Newer"');
    expect(entries[7]).toMatchObject({ object: DEAD_LETTER, before: null });
    expect(entries[7]?.after).toBe('{"changed":["/properties/total"]}');
    expect(
      JSON.stringify(entries, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(key.key);
  });
});
