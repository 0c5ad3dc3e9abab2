/** Two replicas of ClickHouse, where a Docker engine is: one of them is killed under load, and comes back. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Replica, type Replicas, startReplicas } from './replicas.ts';
import { serverUrl } from '../../servers/server.ts';
import { eventually } from '../../support/eventually.ts';
import { installOn, type OnServers } from '../../support/service/server-settings.ts';
import { ServiceProcess } from '../../support/service/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ServiceLoad } from '../service-load.ts';

const DOWN_MS = 5_000;

const [kafka, registry, postgres] = await Promise.all((['kafka', 'registry', 'postgres'] as const).map(serverUrl));
const replicas = kafka && registry && postgres ? await startReplicas() : undefined;

describe.skipIf(replicas === undefined)('on two replicas of ClickHouse', () => {
  let installation: OnServers;
  beforeAll(async () => {
    installation = await installOn({
      EVENT_LOG_URL: kafka!,
      SCHEMA_REGISTRY_URL: registry!,
      PROFILES_URL: postgres!,
      ANALYTICS_URL: (replicas as Replicas).both[0].url,
    });
  });
  afterAll(async () => {
    await installation?.drop();
    await replicas?.stop();
  });

  /** How many events a replica has itself, and their sum of hashes. */
  async function eventsOf({ url }: Replica): Promise<string> {
    const database = new URL(installation.settings.ANALYTICS_URL).pathname.slice(1);
    const sql = `select count(), sum(cityHash64(message_id)) from ${database}.track_rows final`;
    const headers = { 'x-clickhouse-user': 'tidemark', 'x-clickhouse-key': 'tidemark' };
    return (await fetch(new URL(url).origin, { method: 'POST', body: sql, headers })).text();
  }

  test(
    'a replica that was killed has everything again, and no store differs from the log',
    { timeout: 300_000 },
    async () => {
      const [first, second] = (replicas as Replicas).both;
      const service = await ServiceProcess.start(await temporaryFolder(), installation.settings);
      const posts = await ServiceLoad.start({ environment: installation.settings, doors: () => [service] });
      try {
        await posts.passedSince(0);

        await second.kill();
        await pause(DOWN_MS);
        await second.start();
        await posts.passedSince(performance.now());
        await posts.stop();

        expect(await posts.wrongIn(installation.settings)).toEqual({});
        await eventually(async () => expect(await eventsOf(second)).toBe(await eventsOf(first)));
      } finally {
        await service.stop();
      }
    },
  );
});
