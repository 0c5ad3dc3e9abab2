import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ServiceLoad } from './service-load.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';

const ROLES = ['ingest', 'projector', 'sink'] as const;
type Role = (typeof ROLES)[number];
type Pair = [ServiceProcess, ServiceProcess];

const canRun = await canRunOnServers();

describe.skipIf(!canRun)('two processes of each role, on three brokers', () => {
  let kafka: ProxiedKafka;
  let installation: OnServers;
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    [kafka, installation] = await Promise.all([ProxiedKafka.start(3), onServers() as Promise<OnServers>]);
  });
  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop('SIGKILL')));
    await installation?.drop();
    await kafka?.stop();
  });

  const settings = () => ({ ...installation.settings, EVENT_LOG_URL: kafka.url() });

  async function start(role: Role): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(await temporaryFolder(), settings(), role);
    started.push(service);
    return service;
  }

  test(
    'kill -9 of a role or a broker under load: all that was answered 200 is there, once',
    {
      timeout: 180_000,
    },
    async () => {
      const pairs = await Promise.all(ROLES.map(async (role): Promise<Pair> => [await start(role), await start(role)]));
      const [doors] = pairs as [Pair, Pair, Pair];
      const [, left] = doors;
      // Both take requests, and the one that stays is asked.
      const posts = await ServiceLoad.start({ environment: settings(), doors: () => [left, doors[0]] });
      await posts.passedSince(0);

      // What the machine and the load take by themselves.
      await reportResumed('nothing', posts, () => undefined);
      for (const [index, pair] of pairs.entries()) {
        // The other of the two takes over.
        await reportResumed(`kill -9 of ${ROLES[index]}`, posts, () => pair[0].stop('SIGKILL'));
      }
      await reportResumed('kill -9 of a broker', posts, () => kafka.brokers[0]?.kill());
      await posts.stop();

      expect(await posts.wrongIn(settings())).toEqual({});
      expect(await Promise.all(pairs.map(([, left]) => left.stop()))).toEqual([0, 0, 0]);
    },
  );
});

async function reportResumed(after: string, posts: ServiceLoad, fault: () => unknown): Promise<void> {
  await fault();
  const killedAt = performance.now();
  await posts.passedSince(killedAt);
  process.stdout.write(`${Math.round(performance.now() - killedAt)} ms after ${after} the whole path goes on\n`);
}
