/** What is answered 200 while Kafka is unreachable: on disk, through every kill, in order and once when Kafka is back. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/event-log/event-log.ts';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readLog } from '../torture/check/read-log.ts';
import { ServiceLoad } from './service-load.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';

const canRun = await canRunOnServers();

describe.skipIf(!canRun)('ingest with a spool, whose Kafka is unreachable', () => {
  let kafka: ProxiedKafka;
  let installation: OnServers;
  let readers: readonly ServiceProcess[] = [];

  beforeAll(async () => {
    [kafka, installation] = await Promise.all([ProxiedKafka.start(1), onServers() as Promise<OnServers>]);
  });
  afterAll(async () => {
    await Promise.all(readers.map((reader) => reader.stop('SIGKILL')));
    await installation?.drop();
    await kafka?.stop();
  });

  const settings = () => ({ ...installation.settings, EVENT_LOG_URL: kafka.url() });

  async function start(role: string, folder: string, more: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await startedService(folder, { ...settings(), SPOOL_DIR: join(folder, 'spool'), ...more }, role);
    return service;
  }

  test(
    'ingest answers 200, through kills and a stop, and all of it is there once, in order, when Kafka is back',
    { timeout: 300_000 },
    async () => {
      const folder = await temporaryFolder();
      readers = await Promise.all([
        start('projector', await temporaryFolder()),
        start('sink', await temporaryFolder()),
      ]);
      let door = await start('ingest', folder);
      const posts = await ServiceLoad.start({ environment: settings(), doors: () => [door] });
      await posts.passedSince(0);

      // It goes silent, then is gone: the kill comes while messages are spooled, and the new process finds no Kafka.
      kafka.brokers[0]?.proxy.freeze();
      await spoolsMore(posts, 20);
      kafka.brokers[0]?.proxy.refuse();
      await spoolsMore(posts, 50);
      await door.stop('SIGKILL');
      door = await start('ingest', folder);
      await spoolsMore(posts, 50);
      const ready = await door.request('/readyz');
      expect([ready.status, await ready.json()]).toMatchObject([
        200,
        { ready: true, parts: { ingest: 'ready', eventLog: 'away', spool: 'waiting' } },
      ]);
      expect(await metricOf(door, 'tidemark_spool_messages')).toBeGreaterThan(100);

      // SIGTERM leaves on disk what waits.
      expect(await door.stop()).toBe(0);
      expect(await hasWaiting(folder)).toBe(true);
      door = await start('ingest', folder);
      await spoolsMore(posts, 20);

      // The kill comes while they are forwarded: the broker has some of them and has not said so.
      const { proxy } = kafka.brokers[0]!;
      await proxy.heal();
      proxy.responseDelayMs = 1_000;
      await until(() => proxy.hits('pass') > 0);
      expect(await metricOf(door, 'tidemark_spool_messages')).toBeGreaterThan(100);
      await door.stop('SIGKILL');
      door = await start('ingest', folder);
      await kafka.heal();
      await posts.passedSince(performance.now());
      await posts.stop();

      expect(await posts.wrongIn(settings())).toEqual({});
      expect(await (await door.request('/readyz')).json()).toMatchObject({ parts: { spool: 'empty' } });
      expect(await door.stop()).toBe(0);
      expect(await hasWaiting(folder)).toBe(false);
    },
  );

  test(
    'of several processes, each with a folder of its own, another forwards what a killed one left',
    { timeout: 180_000 },
    async () => {
      const folder = await temporaryFolder();
      kafka.brokers[0]?.proxy.refuse();
      const two = await start('ingest', folder, { INGEST_PROCESSES: '2' });
      const accepted = await Promise.all(Array.from({ length: 200 }, (_, i) => track(two, `of two ${i}`)));
      expect(accepted.every(({ receipt }) => receipt === null)).toBe(true);
      expect((await readdir(join(folder, 'spool'))).sort()).toEqual(['1', '2']);
      await two.stop('SIGKILL');

      // One process where two were: the other folder is nobody's.
      await kafka.heal();
      const one = await start('ingest', folder);
      const isForwarded = async (): Promise<boolean> =>
        (await metricOf(one, 'tidemark_spool_messages')) === 0 && !(await hasWaiting(folder, '2'));
      await expect.poll(isForwarded, { timeout: 60_000 }).toBe(true);

      const found = new Set<string>();
      await readLog(kafka.url(), ({ messageId }) => found.add(messageId));
      expect(accepted.filter(({ message_id }) => !found.has(message_id))).toEqual([]);
      expect(await one.stop()).toBe(0);
    },
  );
});

/** Resolves once this many more requests were answered 200 while they wait. */
async function spoolsMore({ load }: ServiceLoad, requests: number): Promise<void> {
  const { spooled } = load;
  await until(() => load.spooled >= spooled + requests);
}

async function track(service: ServiceProcess, user: string): Promise<{ message_id: string; receipt: string | null }> {
  const answer = await service.request('/v1/track', { user_id: user, event: 'Tried' });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { message_id: string; receipt: string | null };
}

/** Whether a process left something, or still has it open. */
async function hasWaiting(folder: string, process = '1'): Promise<boolean> {
  return (await readdir(join(folder, 'spool', process))).includes('log');
}

async function metricOf(service: ServiceProcess, name: string): Promise<number> {
  const text = await (await service.request('/metrics')).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}
