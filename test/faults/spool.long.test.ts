/** What is answered 200 while Kafka is unreachable: on disk, through every kill, in order and once when Kafka is back. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import { MESSAGE_TOPICS } from '../../services/messages/message.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';
import { placed, until } from '../support/event-log/event-log.ts';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';
import { NOTHING_WRONG, RememberingPosts } from './remembering-posts.ts';

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

  async function start(role: string, folder: string, more: Record<string, string> = {}): Promise<ServiceProcess> {
    const spool = { SPOOL_DIR: join(folder, 'spool') };
    const settings = { ...installation.settings, EVENT_LOG_URL: kafka.url(), ...spool, ...more };
    const service = await ServiceProcess.start(folder, settings, role);
    onTestFinished(() => void service.stop('SIGKILL'));
    return service;
  }

  /** The ids of every user's tracks in the order of their first coming on the log. */
  async function idsOnTheLog(): Promise<ReadonlyMap<string, readonly string[]>> {
    const ids = await openSchemaIds(installation.settings.SCHEMA_REGISTRY_URL);
    const codec = new Codec(ids);
    const log = await openEventLog(kafka.url(), { topics: MESSAGE_TOPICS });
    const reader = await log.openReader({ group: 'test', topics: ['tidemark.track'], start: async () => [] });
    const found = new Map<string, Set<string>>();
    const ends = await log.ends(['tidemark.track']);
    let missing = ends.reduce((sum, { offset }) => sum + offset, 0n);
    while (missing > 0n) {
      const records = placed(await reader.poll({ maxRecords: 10_000, maxBytes: 2 ** 24, maxWaitMs: 10_000 }));
      for (const { topic, value } of records) {
        const message = codec.decode(topic, value);
        const user = message.userId ?? '';
        found.set(user, (found.get(user) ?? new Set()).add(message.messageId));
      }
      missing -= BigInt(records.length);
    }
    await log.close();
    return new Map([...found].map(([user, ids]) => [user, [...ids]]));
  }

  test(
    'ingest answers 200, through kills and a stop, and all of it is there once, in order, when Kafka is back',
    { timeout: 180_000 },
    async () => {
      const folder = await temporaryFolder();
      readers = await Promise.all([
        start('projector', await temporaryFolder()),
        start('sink', await temporaryFolder()),
      ]);
      let door = await start('ingest', folder);
      const posts = new RememberingPosts(() => [door]);
      posts.start();
      await posts.passedSince(0, door);

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
      await posts.passedSince(performance.now(), door);
      await posts.stop();
      await posts.passedSince(0, door);

      expect(posts.wrongAnswers).toEqual([]);
      expect(await posts.compare(door)).toEqual(NOTHING_WRONG);
      expect(await idsOnTheLog()).toEqual(posts.sent);
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

      const found = new Set([...(await idsOnTheLog()).values()].flat());
      expect(accepted.filter(({ message_id }) => !found.has(message_id))).toEqual([]);
      expect(await one.stop()).toBe(0);
    },
  );
});

/** Resolves once `batches` more were answered 200 while they wait. */
async function spoolsMore(posts: RememberingPosts, batches: number): Promise<void> {
  const { spooled } = posts;
  await until(() => posts.spooled >= spooled + batches);
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
