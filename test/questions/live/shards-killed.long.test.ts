import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { serverUrl } from '../../servers/server.ts';
import { startShards } from '../../servers/shards.ts';
import { changesSince, find, isFollowing, save, WITHIN_A_MINUTE } from '../../support/live/live-requests.ts';
import { canRunOnServers, type OnServers, onServers } from '../../support/service/server-settings.ts';
import { READ_KEY, ServiceProcess } from '../../support/service/service.ts';
import { freshShards } from '../../support/stores/fresh-shards.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
/** For how long a visit of an hour ago counts. */
const LEAVES_AFTER_MS = 15_000;
const FOLLOWS = { timeout: 120_000, interval: 500 };

const recent = { event: 'Visited', within: { last: '1h' } };
const isPro = { trait: 'plan', is: 'pro' };

type User = { bought: number; plan: string; visitsEnd: number };
const CASES: readonly (readonly [name: string, definition: object, has: (user: User, now: number) => boolean])[] = [
  ['Thrice', { event: 'Bought', count: { at_least: 3 } }, ({ bought }) => bought >= 3],
  ['Pro', isPro, ({ plan }) => plan === 'pro'],
  ['Here', recent, ({ visitsEnd }, now) => visitsEnd > now],
  [
    'Gone',
    { all: [{ event: 'Bought' }, { not: isPro }, { not: recent }] },
    ({ bought, plan, visitsEnd }, now) => bought > 0 && plan !== 'pro' && visitsEnd <= now,
  ],
];

const canRun = (await canRunOnServers()) && (await serverUrl('clickhouse-shards')) !== undefined;

test.skipIf(!canRun)(
  'live audiences on two shards miss nobody and have nobody twice while sinks and both servers are killed under load',
  { timeout: 600_000 },
  async () => {
    const folder = await serversFolder();
    const shards = await startShards({ folder, shards: 2 });
    const servers = (await onServers()) as OnServers;
    const { url } = await freshShards('two', shards.url);
    const data = await temporaryFolder();
    const settings = { ...servers.settings, ANALYTICS_URL: url };
    const start = (role: string): Promise<ServiceProcess> => ServiceProcess.start(data, settings, role);
    const ingest = await start('ingest');
    const projector = await start('projector');
    const sinks = await Promise.all([start('sink'), start('sink')]);
    onTestFinished(async () => {
      await Promise.all([ingest, projector, ...sinks].map((each) => each.stop('SIGKILL')));
      await servers.drop();
      await shards.stop();
      await removeServersFolder(folder);
    });
    const ids: string[] = [];
    for (const [name, definition] of CASES) ids.push((await save(ingest, { name, definition, refresh: 'live' })).id);
    for (const id of ids)
      await expect.poll(() => find(ingest, id), WITHIN_A_MINUTE).toMatchObject({ live_through: expect.any(String) });

    const load = new LoadOfUsers(ingest);
    const loading = load.run();
    for (const server of shards.servers.toReversed()) {
      await delay(8_000);
      await server.kill();
      await delay(4_000);
      await server.start();
      await delay(8_000);
      const following = await Promise.all(sinks.map(isFollowing));
      const killed = Math.max(0, following.indexOf(true));
      await sinks[killed]?.stop('SIGKILL');
      sinks[killed] = await start('sink');
    }
    load.stop();
    await loading;

    // By then nobody's time ends any more.
    await delay(LEAVES_AFTER_MS);
    for (const [index, [, , has]] of CASES.entries()) {
      const id = ids[index] ?? '';
      const expected = [...load.users].flatMap(([name, user]) => (has(user, Date.now()) ? [name] : [])).toSorted();
      await expect.poll(() => membersOf(ingest, id), FOLLOWS).toEqual(expected);
      const evaluated = await ingest.request(`/v1/audiences/${id}/evaluate`, {}, { api_key: READ_KEY });
      const size = { entered: 0, left: 0, members: expected.length };
      expect([evaluated.status, await evaluated.json()]).toMatchObject([200, { evaluation: size }]);
      expect(await membersOf(ingest, id)).toEqual(expected);
    }
  },
);

/** Messages of sixty users, each user's one after another: buys, plans, and visits of which some end soon. */
class LoadOfUsers {
  readonly users = new Map<string, User>();
  readonly #service: ServiceProcess;
  #isStopped = false;

  constructor(service: ServiceProcess) {
    this.#service = service;
    for (let index = 0; index < 60; index++) this.users.set(`user ${index}`, { bought: 0, plan: '', visitsEnd: 0 });
  }

  async run(): Promise<void> {
    await Promise.all([...this.users.keys()].map((name, index) => this.#runUser(name, index)));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #runUser(name: string, index: number): Promise<void> {
    const user = this.users.get(name)!;
    for (let step = index; !this.#isStopped; step++) {
      if (step % 4 === 0) {
        await this.#send('/v1/track', { user_id: name, event: 'Bought' });
        user.bought++;
      } else if (step % 4 === 1) {
        const plan = ['free', 'pro', 'team'][(step * 7 + index) % 3]!;
        await this.#send('/v1/identify', { user_id: name, traits: { plan } });
        user.plan = plan;
      } else if (step % 4 === 2 && index % 3 > 0) {
        // A third of those who visit stay for the hour.
        const endsAt = Date.now() + (index % 3 === 1 ? LEAVES_AFTER_MS : HOUR_MS);
        const timestamp = new Date(endsAt - HOUR_MS).toISOString();
        await this.#send('/v1/track', { user_id: name, event: 'Visited', timestamp });
        user.visitsEnd = Math.max(user.visitsEnd, endsAt);
      }
      await delay(500 + (index % 7) * 100);
    }
  }

  async #send(path: string, body: object): Promise<void> {
    expect((await this.#service.request(path, body)).status).toBe(200);
  }
}

/** The changes folded, by user id; fails where somebody enters or leaves twice. */
async function membersOf(service: ServiceProcess, id: string): Promise<readonly string[]> {
  const members = new Set<string>();
  for (const { user_id: user, change, at } of await changesSince(service, id, undefined, 0)) {
    if (user === undefined) continue;
    expect([user, at, members.has(user)]).toEqual([user, at, change === 'left']);
    if (change === 'entered') members.add(user);
    else members.delete(user);
  }
  return [...members].toSorted();
}
