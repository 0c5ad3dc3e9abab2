/** Each role as a user of few rights on its servers: deploy/rights. */
import { readFile } from 'node:fs/promises';
import { describe, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { identify, recordOf } from '../support/messages/messages.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { runProgram } from '../support/service/program.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { ADMIN_KEY, READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { type LimitedUser, roleOf } from '../support/stores/limited-users.ts';
import { deniedIn, type ServersWithRights, startServersWithRights } from '../support/stores/servers-with-rights.ts';
import { rowsFor } from '../support/stores/analytics.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const FOR_A_MINUTE = { timeout: 60_000, interval: 250 };
/** As the guide says: migrates as the owner, then grants. */
async function migrateAs(servers: ServersWithRights, owner: Readonly<Record<string, string>> = {}): Promise<void> {
  const settings = { ...servers.users.settingsOf('admin'), ...owner };
  const migrated = await runProgram(['services/cli/tidemark.ts', 'migrate'], settings);
  expect(migrated).toMatchObject({ code: 0, stderr: '' });
  await servers.users.grantInPostgres();
}

/** The process of the owner makes the first project: it is started first. */
async function startAs(servers: ServersWithRights, user: LimitedUser): Promise<ServiceProcess> {
  const settings = { ...servers.users.settingsOf(user), LOG_LEVEL: 'debug', WEBHOOK_ALLOW: '127.0.0.1' };
  const service = await ServiceProcess.start(await temporaryFolder(), settings, roleOf(user));
  onTestFinished(async () => void (await service.stop()));
  onTestFailed(() => void process.stderr.write(`${user} was denied:\n${[...new Set(deniedIn(service))].join('\n')}\n`));
  return service;
}

describe.skipIf(!(await canRunOnServers()))('each role as a user of few rights', { timeout: 300_000 }, () => {
  async function started(without?: RegExp): Promise<ServersWithRights> {
    const servers = await startServersWithRights(without);
    onTestFinished(() => servers.drop());
    return servers;
  }

  test('all that a role has to do is allowed', async () => {
    const servers = await started();
    await migrateAs(servers);
    await expectTablesOfRights(servers);
    const admin = await startAs(servers, 'admin');
    const readers = [startAs(servers, 'projector'), startAs(servers, 'sink')];
    const [ingest, ...others] = await Promise.all([startAs(servers, 'ingest'), ...readers]);
    const receiver = await WebhookReceiver.start();
    const endpoint = await ingest.ask<{ id: string }>('/v1/endpoints', {
      url: receiver.url,
      types: ['audience.changed'],
      traits: 'plan',
    });
    expect(await ingest.ask(`/v1/endpoints/${endpoint.id}/test`, {})).toMatchObject({ state: 'delivered' });

    await recordPeople(ingest);
    await expectAudiencesFollowed(ingest, receiver);
    const webhooks = await startAs(servers, 'webhooks');
    const roles = () => admin.ask('/v1/admin/status', undefined, { key: ADMIN_KEY });
    await expect.poll(async () => JSON.stringify(await roles()), FOR_A_MINUTE).toContain('"role":"webhooks"');
    expect(await ingest.ask(`/v1/endpoints/${endpoint.id}/test`, {})).toMatchObject({ state: 'delivered' });
    await recordPayingPerson(ingest, 'fay');
    await expect.poll(() => receiver.told.flat().join(), FOR_A_MINUTE).toContain('fay entered');
    expect(await (await webhooks.request('/metrics')).text()).toMatch(/attempts_total\{result="delivered"\} [1-9]/);
    await expectLetterDropped(admin, servers);
    expect(await resultOfJob(admin, '/v1/admin/verifications', { since: 'all' })).toMatchObject({ equal: true });
    for (const kind of ['profiles', 'analytics']) await expectGenerationSwapped(admin, kind);
    await recordedIn(ingest, '/v1/track', { user_id: 'eve', event: 'After' });
    await expectSinkDoesTheRest(servers);
    await expectKeptAndWatched(ingest, servers);
    const { projects } = await projectsKnownTo(admin);
    const bob = `/v1/users/bob?project=${projects[0].id}`;
    await admin.ask(bob, undefined, { key: ADMIN_KEY, method: 'DELETE' });
    await expect.poll(async () => (await ingest.request('/v1/users/bob')).status, FOR_A_MINUTE).toBe(404);

    const all = [admin, ingest, ...others, webhooks];
    expect(all.map(deniedIn)).toEqual([[], [], [], [], []]);
    expect(ingest.output.join()).toContain('may not write the table jobs');
    expect(await Promise.all(all.map((one) => one.stop()))).toEqual([0, 0, 0, 0, 0]);
  });

  test('a role that lacks one of its rights does not do what it is for, and says what is denied', async () => {
    const servers = await started(/GRANT SELECT, INSERT, .* ON tidemark\.\* TO tidemark_sink/);
    // As an installation was that had one user for all.
    await migrateAs(servers, { PROFILES_URL: servers.superuser.PROFILES_URL });
    await servers.users.inPostgres('revoke update (log_revision), update (on_log) on projects from tidemark_projector');
    await servers.users.inPostgres('revoke insert, update, delete on users from tidemark_projector');
    await servers.users.takeOnKafka('ingest', 'tidemark.track', 'Write');
    await startAs(servers, 'admin');
    const [ingest, projector] = await Promise.all([startAs(servers, 'ingest'), startAs(servers, 'projector')]);

    const track = await ingest.request('/v1/track', { user_id: 'ada', event: 'Paid' });
    const identify = await ingest.request('/v1/identify', { user_id: 'ada', traits: { plan: 'pro' } });

    expect([track.status, identify.status]).toEqual([500, 200]);
    await eventually(() => expect(deniedIn(projector).join('\n')).toContain('permission denied for table users'));
    await eventually(() => expect(deniedIn(projector).join('\n')).toContain('permission denied for table projects'));
    await expect(startAs(servers, 'sink')).rejects.toThrow('SERVER_DENIED');
  });
});

/** A name that no table has is passed over by the file, which is run before there are any too. */
async function expectTablesOfRights(servers: ServersWithRights): Promise<void> {
  const [, list = ''] =
    /from \(values([^]*?)\) as rights/.exec(await readFile('deploy/rights/postgres.sql', 'utf8')) ?? [];
  const names = [...list.matchAll(/'([a-z_ ]+)'/g)].flatMap(([, text = '']) => text.trim().split(' '));
  const tables = names.filter((name) => !/^(?:select|insert|usage|tidemark_.*)$/.test(name));
  expect(tables).toContain('join_numbers');
  await servers.users.inPostgres(`do $$ begin
    assert not exists (select from unnest('{${tables.join()}}'::text[]) as name where to_regclass(name) is null);
  end $$`);
}

async function recordPeople(ingest: ServiceProcess): Promise<void> {
  const batch = [
    { type: 'identify', user_id: 'ada', anonymous_id: 'dev-1', traits: { plan: 'pro' } },
    { type: 'identify', user_id: 'bob', traits: { plan: 'free' } },
    { type: 'track', user_id: 'ada', event: 'Paid', properties: { total: 12 } },
  ];
  await recordedIn(ingest, '/v1/batch', { batch });
  expect(await ingest.ask('/v1/users/ada')).toMatchObject({ traits: { plan: 'pro' } });
  expect((await ingest.request('/v1/track', { event: 1 })).status).toBe(400);
  const counts = await ingest.ask('/v1/events/counts', { event: 'Paid', measure: 'count', within: { last: '1d' } });
  expect(JSON.stringify(counts)).toContain('1');
  const page = { origin: ingest.url, 'sec-fetch-site': 'same-origin', 'tidemark-console': '1' };
  const signedIn = await ingest.request('/console/session', { key: READ_KEY }, page);
  expect(signedIn.status, await signedIn.text()).toBe(201);
  expect(JSON.stringify(await ingest.ask('/v1/users/query', { users: { trait: 'plan', is: 'pro' } }))).toContain('ada');
}

async function recordPayingPerson(ingest: ServiceProcess, user: string): Promise<void> {
  await recordedIn(ingest, '/v1/batch', {
    batch: [
      { type: 'identify', user_id: user, traits: { plan: 'pro' } },
      { type: 'track', user_id: user, event: 'Paid', properties: { total: 1 } },
    ],
  });
}

async function expectAudiencesFollowed(ingest: ServiceProcess, receiver: WebhookReceiver): Promise<void> {
  const definition = {
    all: [
      { trait: 'plan', is: 'pro' },
      { event: 'Paid', within: { last: '1d' } },
    ],
  };
  expect(await ingest.ask('/v1/audiences/preview', { definition, sample: 9 })).toMatchObject({ sample: ['ada'] });
  const saved = await ingest.ask<{ id: string }>('/v1/audiences', { name: 'Paying', definition });
  await ingest.ask(`/v1/audiences/${saved.id}/evaluate`, {});
  const live = await ingest.ask<{ id: string }>('/v1/audiences', { name: 'Live', definition, refresh: 'live' });
  const liveThrough = async () =>
    (await ingest.ask<{ live_through: string | null }>(`/v1/audiences/${live.id}`)).live_through;
  await expect.poll(liveThrough, FOR_A_MINUTE).not.toBeNull();
  await recordPayingPerson(ingest, 'eve');
  await expect.poll(() => receiver.told.flat().join(), FOR_A_MINUTE).toContain('eve entered');
  await ingest.ask(`/v1/audiences/${saved.id}`, undefined, { method: 'DELETE' });
}

/** Postgres has no text with a NUL, and no message that came by HTTP has one. */
async function expectLetterDropped(admin: ServiceProcess, servers: ServersWithRights): Promise<void> {
  const { projects } = await projectsKnownTo(admin);
  const log = await openEventLog(servers.users.addressesOf('ingest').EVENT_LOG_URL, { topics: TOPICS });
  const value = recordOf(identify({ projectId: projects[0].id, userId: 'mallory\0', traits: '{}' }));
  await log.append([{ topic: 'tidemark.identify', ...value }]);
  await log.close();
  const listed = () =>
    admin.ask<{ dead_letters: readonly object[] }>('/v1/admin/dead-letters', undefined, { key: ADMIN_KEY });
  await expect.poll(async () => (await listed()).dead_letters.length, FOR_A_MINUTE).toBe(1);
  expect(await resultOfJob(admin, '/v1/admin/dead-letters/drop', { all: true })).toMatchObject({});
}

/** What a sink does where another process was not quicker, or rows were refused. */
async function expectSinkDoesTheRest(servers: ServersWithRights): Promise<void> {
  const { ANALYTICS_URL } = servers.users.addressesOf('sink');
  const analytics = await openAnalytics(ANALYTICS_URL, { migration: { isOn: false } });
  for (const all of [1, 2]) await analytics.showGenerations({ all, own: new Map() });
  for (const number of [1, 2]) {
    const store = await analytics.ofGeneration(number);
    await store.tryInsert(rowsFor([identify({ projectId: 'p', userId: 'ada', traits: '{"plan":"pro"}' })]));
    await store.compactIngested();
  }
  await analytics.close();
}

/** The process that evaluates watches finds what wants attention too. */
async function expectKeptAndWatched(ingest: ServiceProcess, servers: ServersWithRights): Promise<void> {
  await ingest.ask('/v1/pins/Live', { address: 'live' }, { method: 'PUT' });
  await ingest.ask('/v1/notes', { at: '2026-11-01T00:00:00Z', text: 'A campaign' });
  const { audiences } = await ingest.ask<{ audiences: [{ id: string }] }>('/v1/audiences');
  const watch = { question: { audience: audiences[0].id }, rule: { above: 0 } };
  await ingest.ask('/v1/watches/Paying', watch, { method: 'PUT' });
  await ingest.ask('/v1/endpoints', { url: 'https://127.0.0.1/', types: ['attention.raised'] });
  const watches = async () => JSON.stringify(await ingest.ask('/v1/watches'));
  await expect.poll(watches, FOR_A_MINUTE).toContain('"state":"raised"');
  await eventually(() =>
    servers.users.inPostgres(`do $$ begin
      assert (select state::jsonb ? 'findings' from watches where id = 'attention');
    end $$`),
  );
}

function projectsKnownTo(admin: ServiceProcess) {
  return admin.ask<{ projects: [{ id: string }] }>('/v1/admin/projects', undefined, { key: ADMIN_KEY });
}

async function expectGenerationSwapped(admin: ServiceProcess, kind: string): Promise<void> {
  const built = await resultOfJob<{ number: number }>(admin, '/v1/admin/generations', { kind });
  expect(built).toMatchObject({ kind, same: true });
  await resultOfJob(admin, `/v1/admin/generations/${kind}/${built.number}/swap`, {});
}

/** The result of a job that is begun so. */
async function resultOfJob<T = object>(service: ServiceProcess, path: string, body: object): Promise<T> {
  const headers = { api_key: ADMIN_KEY, 'content-type': 'application/json' };
  const started = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([200, 202], await started.clone().text()).toContain(started.status);
  const { id } = (await started.json()) as { id: string };
  const ended = () =>
    service.ask<{ state: string; result: T }>(`/v1/admin/jobs/${id}?wait=10`, undefined, { key: ADMIN_KEY });
  await expect.poll(async () => (await ended()).state, FOR_A_MINUTE).toBe('done');
  return (await ended()).result;
}
