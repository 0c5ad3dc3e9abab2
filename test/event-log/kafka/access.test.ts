import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../../services/event-log/open.ts';
import { type KafkaCluster, startKafka } from '../../servers/kafka.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { serverUrl } from '../../servers/server.ts';
import { PATIENT, placed, records, text } from '../../support/event-log/event-log.ts';
import { KAFKA_CLIENT } from '../../support/event-log/kafka-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Where the servers of the tests cannot be had, neither can these brokers.
const isThere = (await serverUrl('kafka')) !== undefined;
const [USER, PASSWORD] = ['tidemark', 'p@ss:w/rd'];
const credentials = `${USER}:${encodeURIComponent(PASSWORD)}`;

let cluster: KafkaCluster;

beforeAll(async () => {
  if (!isThere) return undefined;
  const folder = await serversFolder();
  cluster = await startKafka({ folder: join(folder, 'kafka'), sasl: { user: USER, password: PASSWORD }, tls: true });
  return async () => {
    await cluster.stop();
    await removeServersFolder(folder);
  };
}, 120_000);

describe.each([KAFKA_CLIENT])('by %s', (client) => {
  describe.skipIf(!isThere)('brokers that want a password over TLS', () => {
    const urlOf = (who: string, query: string): string => {
      return `${cluster.url.replace('kafka://', `kafka://${who}`)}?client=${client}&${query}`;
    };

    test.each(['plain', 'scram-sha-256', 'scram-sha-512'])('brokers accept the right password, by %s', async (sasl) => {
      const topic = `t-${randomUUID()}`;
      const log = await openEventLog(urlOf(`${credentials}@`, `sasl=${sasl}&ca_file=${cluster.certificates?.caFile}`), {
        topics: [topic],
        partitions: 2,
      });
      onTestFinished(() => log.close());
      const reader = await log.openReader({ group: randomUUID(), topics: [topic], start: () => Promise.resolve([]) });

      await log.append(records(topic, 1));

      expect(placed(await reader.poll(PATIENT)).map(({ value }) => text(value))).toEqual(['v-0']);
    });

    test.each([
      ['the wrong one', () => urlOf(`${USER}:wrong@`, `sasl=plain&ca_file=${cluster.certificates?.caFile}`)],
      [
        'the wrong one, by SCRAM',
        () => urlOf(`${USER}:wrong@`, `sasl=scram-sha-512&ca_file=${cluster.certificates?.caFile}`),
      ],
      ['an unknown user', () => urlOf('nobody:secret@', `sasl=scram-sha-256&ca_file=${cluster.certificates?.caFile}`)],
      ['a client that does not know who signed for them', () => urlOf(`${credentials}@`, 'tls=true')],
      ['a client that speaks no TLS', () => urlOf(`${credentials}@`, '')],
    ])('brokers that require a password over TLS refuse %s permanently', async (_, url) => {
      const refusal = await openEventLog(url(), { topics: ['t'] }).catch((error: unknown) => error);

      expect(refusal).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
      expect(String(refusal)).not.toContain(PASSWORD);
    });
  });

  test('an unreachable broker is retryable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();

    const opening = openEventLog(`kafka://127.0.0.1:${port}?client=${client}`, { topics: ['t'] });

    await expect(opening).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
  });

  test('a broker of an old version is refused permanently', async () => {
    const url = await brokerThat((socket, request) => socket.write(oldVersions(request)));

    await expect(openEventLog(`${url}?client=${client}`, { topics: ['t'] })).rejects.toMatchObject({
      code: 'SERVER_TOO_OLD',
      retryable: false,
    });
  });

  test('a missing file of certificates is CONFIG_INVALID', async () => {
    const url = `kafka://127.0.0.1:1?client=${client}&ca_file=${join(await temporaryFolder(), 'none.pem')}`;

    await expect(openEventLog(url, { topics: ['t'] })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

test('a broker that accepts connections and never answers is given up', async () => {
  const url = await brokerThat(() => undefined);

  await expect(openEventLog(url, { topics: ['t'] })).rejects.toMatchObject({
    code: 'LOG_UNAVAILABLE',
  });
});

async function brokerThat(answers: (socket: Socket, request: Buffer) => unknown): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('data', (request) => answers(socket, request));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `kafka://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** The answer of Kafka 0.10 to ApiVersions: Produce, Fetch, Metadata and ApiVersions, all in their first versions. */
function oldVersions(request: Buffer): Buffer {
  const apis = [0, 1, 3, 18].flatMap((key) => [key, 0, key === 18 ? 2 : 1]);
  const body = Buffer.alloc(4 + 2 + 4 + apis.length * 2 + (request.readInt16BE(6) > 0 ? 4 : 0));
  request.copy(body, 0, 8, 12);
  body.writeInt32BE(apis.length / 3, 6);
  for (const [i, value] of apis.entries()) body.writeInt16BE(value, 10 + i * 2);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
}
