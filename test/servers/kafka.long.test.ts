import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel, type KafkaConfig } from 'kafkajs';
import { expect, onTestFinished, test } from 'vitest';
import { createTopics } from '../support/event-log/kafka-topics.ts';
import { temporaryServersFolder } from '../support/service/servers-folder.ts';
import { startKafka, type KafkaCluster, type KafkaOptions } from './kafka.ts';

test('a killed broker comes back on its port with its topics', { timeout: 120_000 }, async () => {
  const kafka = await start({});
  await withAdmin(kafka, {}, (admin) => createTopics(admin, [{ topic: 'kept' }]));

  await kafka.brokers[0]!.kill();
  await kafka.brokers[0]!.start();

  expect(await withAdmin(kafka, {}, (admin) => admin.listTopics())).toContain('kept');
});

test(
  'with a user and TLS, it takes the right password by each mechanism and no other',
  { timeout: 120_000 },
  async () => {
    const [username, password] = ['tidemark', 'secret'];
    const kafka = await start({ sasl: { user: username, password }, tls: true });
    const ssl = { ca: await readFile(kafka.certificates!.caFile, 'utf8') };

    for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
      const list = (word: string) =>
        withAdmin(
          kafka,
          { ssl, sasl: { mechanism, username, password: word } as KafkaConfig['sasl'] & object },
          (admin) => admin.listTopics(),
        );
      await expect(list(password)).resolves.toEqual(expect.any(Array));
      await expect(list('wrong')).rejects.toMatchObject({ name: 'KafkaJSSASLAuthenticationError' });
    }
    await expect(withAdmin(kafka, {}, (admin) => admin.listTopics())).rejects.toThrow();
  },
);

async function start(options: Omit<KafkaOptions, 'folder'>): Promise<KafkaCluster> {
  const kafka = await startKafka({ folder: join(await temporaryServersFolder(), 'kafka'), ...options });
  onTestFinished(kafka.stop);
  return kafka;
}

async function withAdmin<T>(
  { brokers }: KafkaCluster,
  config: Omit<KafkaConfig, 'brokers'>,
  use: (admin: ReturnType<Kafka['admin']>) => Promise<T>,
): Promise<T> {
  const addresses = brokers.map(({ port }) => `127.0.0.1:${port}`);
  const quiet = { retry: { retries: 2 }, requestTimeout: 10_000, logLevel: logLevel.NOTHING };
  const admin = new Kafka({ brokers: addresses, ...quiet, ...config }).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}
