/** Definitions as files: from one project to another, with what a dry run says, on a whole embedded service. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../schemas/operations.ts';
import { CliRun } from '../../support/service/cli-run.ts';
import { recordedIn } from '../../support/service/readers-passed.ts';
import { ADMIN_KEY } from '../../support/service/service.ts';
import { sharedService } from '../../support/service/shared-service.ts';
import { WRONG_FILES } from './wrong-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const service = sharedService(() => ({
  MAX_PROJECT_AUDIENCES: '300',
  WEBHOOK_ALLOW: '127.0.0.1',
  VERIFY_EVERY: 'off',
  BACKUP_EVERY: 'off',
}));

type Applied = Answer<'POST /v1/admin/projects/{id}/definitions'>;
type Audiences = Answer<'GET /v1/audiences'>;

function admin<T>(path: string, body?: object, method?: string): Promise<T> {
  return service().ask<T>(path, body, { key: ADMIN_KEY, ...(method !== undefined && { method }) });
}

async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const command = new CliRun([...words, '--url', service().url, '--key', ADMIN_KEY], {
    env: { CRM_QUERY: '?token=T' },
  });
  return { code: await command.code, out: command.out, err: command.err };
}

async function emptyProject(name: string): Promise<string> {
  return (await admin<{ id: string }>('/v1/admin/projects', { name })).id;
}

/** The folder of what a project is defined by; of one that was exported before, as it was then. */
async function exportOf(project: string): Promise<string> {
  const folder = join(service().dataDir, `exported-${project}`);
  if (existsSync(folder)) return folder;
  expect(await run('export', folder, '--project', project)).toEqual({ code: 0, out: '', err: '' });
  return folder;
}

async function bytesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.json')).toSorted();
  const files = paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(files));
}

/** A copy of what A is defined by, with these files. */
async function folderWith(files: Readonly<Record<string, object>>): Promise<string> {
  const folder = await temporaryFolder();
  await cp(await exportOf('default'), folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(content));
  }
  return folder;
}

/** Without what evaluations found, which come by themselves. */
async function audiencesOf(project: string): Promise<Audiences['audiences']> {
  const { audiences } = await admin<Audiences>(`/v1/audiences?limit=1000&project=${project}`);
  return audiences.map((one) => ({ ...one, evaluation: null }));
}

beforeAll(async () => {
  const ordered = (user: string, daysAgo: number) => {
    const timestamp = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    return { type: 'track', user_id: user, event: 'Order Completed', timestamp };
  };
  const users = ['ada', 'bob', 'eve'].map((user) => ({ type: 'identify', user_id: user, traits: { plan: 'pro' } }));
  const batch = [...users, ordered('ada', 3), ordered('bob', 20), ordered('dan', 3)];
  await recordedIn(service(), '/v1/batch', { batch });
  const at = '?project=default';
  const onPro = { name: 'On pro', definition: { trait: 'plan', is: 'pro' } };
  const pro = await admin<{ id: string }>(`/v1/audiences${at}`, onPro);
  const bought = { event: 'Order Completed', within: { last: '7d' } };
  await admin(`/v1/audiences${at}`, {
    name: 'Recent "buyers" on pro',
    note: 'For the shop',
    tags: ['sales'],
    refresh: '1h',
    definition: {
      all: [{ audience: pro.id }, bought, { not: { trait: 'n', gt: JSON.rawJSON('12345678901234567890.10') } }],
    },
  });
  const crm = { url: 'http://127.0.0.1:9/hooks?token=T', description: 'CRM', audiences: [pro.id], batch_size: 7 };
  const { id: crmId } = await admin<{ id: string }>(`/v1/endpoints${at}`, { ...crm, enabled: false });
  const [project] = (await admin<Answer<'GET /v1/admin/projects'>>('/v1/admin/projects')).projects;
  await admin(`/v1/admin/projects/${project?.id}`, { rate_limit: 50_000, search_traits: ['email'] }, 'PATCH');
  await admin(`/v1/pins/Pro${at}`, { address: `audiences/${pro.id}?compare=%22${pro.id}%22` }, 'PUT');
  const watches = {
    'Few on pro': { question: { audience: pro.id }, rule: { below: 2 }, endpoints: [crmId] },
    'No orders': { question: { event: 'Order Completed', users: { audience: pro.id } }, rule: { none_for: 30 } },
  };
  for (const [name, watch] of Object.entries(watches)) await admin(`/v1/watches/${name}${at}`, watch, 'PUT');
  await admin(`/v1/admin/projects/${project?.id}/keys`, { name: 'Web shop', scopes: ['write'] });
}, 180_000);

describe('the definitions of a project', () => {
  test(
    'the export of a project that was applied to another is that of the other, and is applied once',
    { timeout: 120_000 },
    async () => {
      const [definedA, b] = [await exportOf('default'), await emptyProject('B')];

      const first = await run('apply', definedA, '--project', b);
      const again = await run('apply', definedA, '--project', b);
      const dry = await run('apply', definedA, '--project', b, '--dry-run');

      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out).toMatch(/^create +audience +On pro$/m);
      expect(first.out).toMatch(/^endpoint CRM: whsec_/m);
      expect(first.out).toMatch(/^key Web shop \(write\): tm_w_/m);
      expect(again).toEqual({ code: 0, out: 'Nothing to do.\n', err: '' });
      expect(dry).toEqual({ code: 0, out: 'Nothing to do.\n', err: '' });
      const { pins } = await admin<Answer<'GET /v1/pins'>>(`/v1/pins?project=${b}`);
      const { id = '' } = (await audiencesOf(b)).find(({ name }) => name === 'On pro') ?? {};
      expect(pins).toEqual([{ name: 'Pro', address: `audiences/${id}?compare=%22${id}%22` }]);
      const { watches } = await admin<Answer<'GET /v1/watches'>>(`/v1/watches?project=${b}`);
      expect(watches).toMatchObject([{ question: { audience: id } }, { question: { users: { audience: id } } }]);
      const [a, ofB] = [await bytesIn(definedA), await bytesIn(await exportOf(b))];
      expect(ofB).toEqual(a);
      expect(Object.keys(a)).toContain('audiences/recent-buyers-on-pro.json');
      expect(Object.values(a).join('')).not.toMatch(/token=T|whsec_|tm_w_|aud_|end_|proj_/);
    },
  );

  test('the audit log has object by object, with the hashes of the files', async () => {
    const [definedA, project] = [await exportOf('default'), await emptyProject('Audited')];
    await run('apply', definedA, '--project', project);

    const { entries } = await admin<Answer<'GET /v1/admin/audit'>>(`/v1/admin/audit?project=${project}&limit=50`);

    const file = await readFile(join(definedA, 'audiences/on-pro.json'));
    const sha256 = createHash('sha256').update(file).digest('hex');
    const actions = entries.map(({ action }) => action).toSorted();
    const created = ['audience.save', 'audience.save', 'endpoint.create', 'key.create', 'key.create'];
    const changed = ['pin.save', 'project.change', 'project.create', 'watch.save', 'watch.save'];
    expect(actions).toEqual([...created, 'key.create', ...changed]);
    expect(entries).toContainEqual(
      expect.objectContaining({ after: expect.objectContaining({ name: 'On pro', file_sha256: sha256 }) as object }),
    );
    expect(JSON.stringify(entries)).not.toMatch(/token=T|whsec_|tm_w_/);
  });
});

function withLongerWindow(json: string): object {
  return JSON.parse(json.replace('"7d"', '"30d"')) as object;
}

describe('a dry run', () => {
  test('a dry run counts as compare does, also what refers to a change, and changes nothing', async () => {
    const before = await audiencesOf('default');
    const { id, definition } = before.find(({ name }) => name.startsWith('Recent')) ?? {};
    const file = 'audiences/recent-buyers-on-pro.json';
    const content = await readFile(join(await exportOf('default'), file), 'utf8');
    const refers = { name: 'Both', definition: { audience: 'Recent "buyers" on pro' } };
    const folder = await folderWith({ [file]: withLongerWindow(content), 'audiences/both.json': refers });

    const { code, out } = await run('apply', folder, '--project', 'default', '--dry-run', '--json');

    const { objects } = JSON.parse(out) as Applied;
    const compared = await admin<Answer<'POST /v1/audiences/compare'>>('/v1/audiences/compare?project=default', {
      audience: id,
      definition: withLongerWindow(JSON.stringify(definition)),
    });
    expect(code).toBe(2);
    const users = { from: 1, to: 2, entering: 1, leaving: 0 };
    const { from, to, entering, leaving } = compared;
    expect([from, to, entering, leaving].map(({ count }) => count)).toEqual(Object.values(users));
    expect(objects).toMatchObject([
      { change: 'change', name: 'Recent "buyers" on pro', members: ['definition'], users },
      { change: 'create', name: 'Both', id: null, users: { from: 0, to: 2, entering: 2, leaving: 0 } },
    ]);
    expect(await audiencesOf('default')).toEqual(before);
  });

  test('a dry run names an audience that stays while what it refers to changes', async () => {
    const folder = await folderWith({
      'audiences/on-pro.json': { name: 'On pro', definition: { trait: 'plan', is: 'free' } },
    });

    const { code, out } = await run('apply', folder, '--project', 'default', '--dry-run');

    expect(code).toBe(2);
    expect(out).toMatch(/^change +audience +On pro +definition +3 +0 +0 +3$/m);
    expect(out).toMatch(/^follow +audience +Recent "buyers" on pro +1 +0 +0 +1$/m);
    expect(out).toMatch(/^1 to do\.$/m);
  });
});

describe('definitions that are wrong', () => {
  const NEW = { 'audiences/new.json': { name: 'New', definition: { trait: 'plan', exists: true } } };

  test.each(WRONG_FILES)('%s is refused before anything changes', async (_, files, message) => {
    const before = await audiencesOf('default');
    const folder = await folderWith({ ...NEW, ...files });

    const done = await run('apply', folder, '--project', 'default');
    const dry = await run('apply', folder, '--project', 'default', '--dry-run');

    expect([done.code, done.out, dry.code, dry.out]).toEqual([1, '', 1, '']);
    expect(done.err).toContain(message);
    expect(dry.err).toContain(message);
    expect(await audiencesOf('default')).toEqual(before);
  });
});

describe('what was made by hand', () => {
  test(
    'what was made by hand is shown and left, and deleted with --prune, of kinds that have a folder',
    { timeout: 120_000 },
    async () => {
      const [definedA, project] = [await exportOf('default'), await emptyProject('By hand')];
      await run('apply', definedA, '--project', project);
      const [pro] = (await audiencesOf(project)).filter(({ name }) => name === 'On pro');
      const made = { name: 'Hand', definition: { not: { audience: pro?.id } } };
      await admin(`/v1/audiences?project=${project}`, made);
      const folder = await temporaryFolder();
      await cp(join(definedA, 'audiences'), join(folder, 'audiences'), { recursive: true });

      const left = await run('apply', folder, '--project', project);
      const dry = await run('apply', folder, '--project', project, '--prune', '--dry-run');
      const pruned = await run('apply', folder, '--project', project, '--prune');

      expect(left).toMatchObject({ code: 0, err: '' });
      expect(left.out).toMatch(/^left +audience +Hand$/m);
      expect(left.out).toMatch(/^left +endpoint +CRM$/m);
      expect(dry.code).toBe(2);
      expect(dry.out).toMatch(/^delete +audience +Hand +0 +0 +0 +0$/m);
      expect(pruned.out).toMatch(/^left +endpoint +CRM$/m);
      expect((await audiencesOf(project)).map(({ name }) => name).toSorted()).toEqual([
        'On pro',
        'Recent "buyers" on pro',
      ]);
    },
  );
});

test('two hundred audiences are applied in one go while messages come', { timeout: 300_000 }, async () => {
  const project = await emptyProject('Many');
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'audiences'));
  for (let n = 0; n < 200; n++) {
    const bought = { event: 'Order Completed', within: { last: `${n + 1}d` } };
    const definition = n % 10 === 0 ? bought : { all: [{ audience: `A${n - 1}` }, bought] };
    await writeFile(join(folder, `audiences/a${n}.json`), JSON.stringify({ name: `A${n}`, definition }));
  }
  const applied = new AbortController();
  const load = statusesUntil(applied.signal);

  const done = await run('apply', folder, '--project', project).finally(() => applied.abort());
  const again = await run('apply', folder, '--project', project, '--dry-run');

  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toMatch(/^create +audience +A199$/m);
  expect(again).toEqual({ code: 0, out: 'Nothing to do.\n', err: '' });
  expect(await audiencesOf(project)).toHaveLength(200);
  expect(await load).toEqual(new Set([200]));
});

/** The statuses of messages that are posted one after the other. */
async function statusesUntil(signal: AbortSignal): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  while (!signal.aborted) {
    const { status } = await service().request('/v1/track', { user_id: 'ada', event: 'Seen' });
    statuses.add(status);
  }
  return statuses;
}
