import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/event-log/event-log.ts';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { ServiceLoad } from './service-load.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';
import { TcpProxy } from './tcp-proxy.ts';

const canRun = await canRunOnServers();

describe.skipIf(!canRun)('a service whose servers are unreachable', () => {
  let kafka: ProxiedKafka;
  let installation: OnServers;
  let proxies: Record<'PROFILES_URL' | 'ANALYTICS_URL' | 'SCHEMA_REGISTRY_URL', TcpProxy>;

  beforeAll(async () => {
    [kafka, installation] = await Promise.all([ProxiedKafka.start(1), onServers() as Promise<OnServers>]);
    const before = (name: string) => TcpProxy.before(installation.settings[name] ?? '');
    proxies = {
      PROFILES_URL: await before('PROFILES_URL'),
      ANALYTICS_URL: await before('ANALYTICS_URL'),
      SCHEMA_REGISTRY_URL: await before('SCHEMA_REGISTRY_URL'),
    };
  });
  afterEach(async () => {
    await kafka.heal();
    for (const proxy of Object.values(proxies)) proxy.comeBack();
  });
  afterAll(async () => {
    for (const proxy of Object.values(proxies ?? {})) proxy.close();
    await installation?.drop();
    await kafka?.stop();
  });

  /** Past the proxies of the stores. */
  const direct = () => ({ ...installation.settings, EVENT_LOG_URL: kafka.url() });

  async function start(): Promise<ServiceProcess> {
    const urls = Object.fromEntries(Object.entries(proxies).map(([name, { url }]) => [name, url]));
    const service = await startedService(undefined, { ...direct(), ...urls });
    return service;
  }

  test(
    'from its start waits, says so once of each, and is ready when all are there',
    { timeout: 180_000 },
    async () => {
      kafka.brokers[0]?.proxy.refuse();
      for (const proxy of Object.values(proxies)) proxy.goAway();

      const starting = start();
      await until(() => Object.values(proxies).every(({ turnedAway }) => turnedAway >= 3));
      await kafka.heal();
      for (const proxy of Object.values(proxies)) proxy.comeBack();

      const service = await starting;
      const said = service.output.filter((line) => line.includes('cannot open'));
      expect(said, said.join('\n')).toHaveLength(4);
      expect(await service.stop()).toBe(0);
    },
  );

  test(
    'for a while under load answers 200 only for what is in the log, and catches up',
    { timeout: 300_000 },
    async () => {
      const service = await start();
      const posts = await ServiceLoad.start({ environment: direct(), doors: () => [service] });
      await posts.passedSince(0);

      kafka.brokers[0]?.proxy.refuse();
      await until(() => posts.refused >= 1);
      const answered = posts.answered;
      await until(() => posts.refused >= 8);
      expect(posts.answered).toBe(answered);
      await kafka.heal();
      await posts.passedSince(performance.now());

      for (const proxy of Object.values(proxies)) {
        proxy.goAway();
        const [before, { turnedAway }] = [posts.answered, proxy];
        await until(() => posts.answered > before + 100);
        // Nobody may need the registry meanwhile.
        if (proxy !== proxies.SCHEMA_REGISTRY_URL) await until(() => proxy.turnedAway > turnedAway);
        proxy.comeBack();
        await posts.passedSince(performance.now());
      }
      await posts.stop();

      expect(await posts.wrongIn(direct())).toEqual({});
      expect(saidTooOften(service, 4)).toEqual([]);
      expect(await service.stop()).toBe(0);
    },
  );
});

/** Complaints that were made more often than there were outages. */
function saidTooOften({ output }: ServiceProcess, outages: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of output.filter((one) => one.startsWith('{'))) {
    const { level, msg, reader } = JSON.parse(line) as { level: string; msg: string; reader?: string };
    if (level !== 'info') counts.set(`${reader}: ${msg}`, 1 + (counts.get(`${reader}: ${msg}`) ?? 0));
  }
  return [...counts].filter(([, count]) => count > outages).map(([said, count]) => `${count} times ${said}`);
}
