/** Kafka that wants tokens and certificates of its clients, and Postgres behind a pooler in transaction mode. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceLoad } from '../service-load.ts';
import { type KafkaCluster, startKafka } from '../../servers/kafka.ts';
import { type PgBouncer, startPgBouncer } from '../../servers/fronts/pgbouncer.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { findProgram } from '../../servers/fronts/programs.ts';
import { startTokenServer, type TokenServer } from '../../support/event-log/token-server.ts';
import { canRunOnServers, type OnServers, onServers } from '../../support/service/server-settings.ts';
import { ServiceProcess } from '../../support/service/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const poolerFile = findProgram('pgbouncer');
const canRun = poolerFile !== undefined && (await canRunOnServers());

describe.skipIf(!canRun)('on servers of others', () => {
  let folder: string;
  let kafka: KafkaCluster;
  let pooler: PgBouncer;
  let tokens: TokenServer;
  let installation: OnServers;
  let settings: OnServers['settings'];
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    folder = await serversFolder();
    [installation, kafka, tokens] = await Promise.all([
      onServers() as Promise<OnServers>,
      startKafka({ folder: join(folder, 'kafka'), tls: 'mutual', tokensForMs: 3_000 }),
      startTokenServer('tidemark', 'secret'),
    ]);
    pooler = await startPgBouncer(
      poolerFile!,
      join(folder, 'pooler'),
      installation.settings.PROFILES_URL,
      'transaction',
    );
    const { caFile, certFile, keyFile } = kafka.certificates!;
    const signIn = new URLSearchParams({
      sasl: 'oauthbearer',
      token_url: tokens.url,
      ca_file: caFile,
      cert_file: certFile,
      key_file: keyFile,
    });
    settings = {
      ...installation.settings,
      EVENT_LOG_URL: `${kafka.url.replace('//', '//tidemark:secret@')}?${signIn.toString()}`,
      PROFILES_URL: `${pooler.url}?pool_mode=transaction`,
    };
  }, 180_000);
  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop('SIGKILL')));
    await pooler?.stop();
    tokens?.close();
    await kafka?.stop();
    await installation?.drop();
    await removeServersFolder(folder);
  });

  async function start(role: string): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(await temporaryFolder(), settings, role);
    started.push(service);
    return service;
  }

  test(
    'nothing is lost or counted twice as roles, the pooler and the broker are killed',
    { timeout: 240_000 },
    async () => {
      const ingest = await start('ingest');
      const [projector, sink] = await Promise.all([start('projector'), start('sink')]);
      const posts = await ServiceLoad.start({ environment: settings, doors: () => [ingest] });
      await posts.passedSince(0);

      for (const kill of [
        () => projector.stop('SIGKILL').then(() => start('projector')),
        () => sink.stop('SIGKILL').then(() => start('sink')),
        () => pooler.kill().then(() => pooler.start()),
        () => kafka.brokers[0]!.kill().then(() => kafka.brokers[0]!.start()),
      ]) {
        await kill();
        await posts.passedSince(performance.now());
      }
      await posts.stop();

      expect(await posts.wrongIn({ ...settings, EVENT_LOG_URL: kafka.internalUrl })).toEqual({});
      expect(posts.answered).toBeGreaterThan(100);
    },
  );
});
