import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';
import { NOTHING_WRONG, RememberingPosts } from './remembering-posts.ts';

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

  async function start(role: Role): Promise<ServiceProcess> {
    const settings = { ...installation.settings, EVENT_LOG_URL: kafka.url() };
    const service = await ServiceProcess.start(await temporaryFolder(), settings, role);
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
      const posts = new RememberingPosts(() => doors);
      posts.start();
      await posts.passedSince(0, doors[0]);

      // What the machine and the load take by themselves.
      await reportResumed('nothing', posts, doors[1], () => undefined);
      for (const [index, pair] of pairs.entries()) {
        // The other of the two takes over.
        await reportResumed(`kill -9 of ${ROLES[index]}`, posts, doors[1], () => pair[0].stop('SIGKILL'));
      }
      await reportResumed('kill -9 of a broker', posts, doors[1], () => kafka.brokers[0]?.kill());
      await posts.stop();
      await posts.passedSince(0, doors[1]);

      expect(posts.wrongAnswers).toEqual([]);
      expect(await posts.compare(doors[1])).toEqual(NOTHING_WRONG);
      expect(await Promise.all(pairs.map(([, left]) => left.stop()))).toEqual([0, 0, 0]);
    },
  );
});

async function reportResumed(
  after: string,
  posts: RememberingPosts,
  door: ServiceProcess,
  fault: () => unknown,
): Promise<void> {
  await fault();
  const killedAt = performance.now();
  await posts.passedSince(killedAt, door);
  process.stdout.write(`${Math.round(performance.now() - killedAt)} ms after ${after} the whole path goes on\n`);
}
