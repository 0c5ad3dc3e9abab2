import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';
import { TcpProxy } from './tcp-proxy.ts';

const canRun = await canRunOnServers();

/** Each process reports its state within this time, and then waits for the database. */
const EACH_WAITS_MS = 6_000;

describe.skipIf(!canRun)('processes whose servers stop answering', () => {
  let kafka: ProxiedKafka;
  let installation: OnServers;
  let proxies: Record<'PROFILES_URL' | 'ANALYTICS_URL', TcpProxy>;

  beforeAll(async () => {
    [kafka, installation] = await Promise.all([ProxiedKafka.start(1), onServers() as Promise<OnServers>]);
    const before = (name: string) => TcpProxy.before(installation.settings[name] ?? '');
    proxies = { PROFILES_URL: await before('PROFILES_URL'), ANALYTICS_URL: await before('ANALYTICS_URL') };
  });
  afterAll(async () => {
    for (const proxy of Object.values(proxies ?? {})) proxy.close();
    await installation?.drop();
    await kafka?.stop();
  });

  test('processes of every role end with 0 in their time while no server answers', { timeout: 180_000 }, async () => {
    const urls = Object.fromEntries(Object.entries(proxies).map(([name, { url }]) => [name, url]));
    const settings = { ...installation.settings, ...urls, EVENT_LOG_URL: kafka.url() };
    const start = async (role: string) => ServiceProcess.start(await temporaryFolder(), settings, role);
    const all = await start('');
    const processes = [all, ...(await Promise.all(['ingest', 'projector', 'sink'].map(start)))];
    const post = () => processes.slice(0, 2).map((one) => one.request('/v1/track', { user_id: 'ada', event: 'Seen' }));
    expect((await Promise.all(post())).map(({ status }) => status)).toEqual([200, 200]);

    for (const { proxy } of kafka.brokers) proxy.refuse();
    for (const proxy of Object.values(proxies)) proxy.freeze();
    const answers = Promise.allSettled(post());
    await sleep(EACH_WAITS_MS);
    const codes = await Promise.all(processes.map((one) => one.stop()));

    expect(codes, processes.map(({ output }) => output.slice(-12).join('\n')).join('\n')).toEqual([0, 0, 0, 0]);
    expect((await answers).filter((one) => one.status === 'fulfilled' && one.value.ok)).toEqual([]);
  });
});
