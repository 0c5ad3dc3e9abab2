/** Webhooks that processes of their own send, on servers: who connects to the receiver, and that these know no Kafka. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TOPIC_URL } from '../../services/webhooks/topic.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { canRunOnServers, onServers } from '../support/service/server-settings.ts';
import { ADMIN_KEY, type ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { type Answering, answer, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const PATIENCE = { timeout: 90_000, interval: 100 };

/** Which of these processes has the other end of this connection. */
function ownerOf({ localPort, remotePort }: Socket, processes: ReadonlyMap<string, ServiceProcess>): string {
  const rows = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n'));
  // A port may serve connections to several places, and have ended ones beside them: both ends tell which it is.
  const columns = rows
    .map((row) => row.trim().split(/\s+/))
    .find(([, from, to]) => from?.endsWith(inHex(remotePort)) && to?.endsWith(inHex(localPort)));
  const socket = `socket:[${columns?.[9]}]`;
  const owner = [...processes].find(([, { pid }]) => filesOf(pid).includes(socket));
  return owner?.[0] ?? 'nobody that is known';
}

function inHex(port = 0): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What the process has open; a file that it closes meanwhile hides no other. */
function filesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return orNothing(() => readdirSync(folder)).flatMap((fd) => orNothing(() => [readlinkSync(`${folder}/${fd}`)]));
}

function orNothing(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** A place that looks like a broker to whoever connects: it counts them. */
async function brokerThatNobodyNeeds(): Promise<{ readonly url: string; readonly connections: () => number }> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `kafka://somebody:secret@127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
  };
}

class RolesAtWork {
  readonly processes = new Map<string, ServiceProcess>();
  /** The roles that connected to the receiver, in order. */
  readonly senders: string[] = [];
  readonly #settings: Readonly<Record<string, string>>;

  constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = { ...settings, WEBHOOK_ALLOW: '127.0.0.0/8' };
  }

  /** @param eventLogUrl What a process of the role webhooks is told; nothing by default. */
  async start(role: string, eventLogUrl = ''): Promise<ServiceProcess> {
    const { EVENT_LOG_URL: _, SCHEMA_REGISTRY_URL: __, ...withoutKafka } = this.#settings;
    const settings = role === 'webhooks' ? { ...withoutKafka, EVENT_LOG_URL: eventLogUrl } : this.#settings;
    const service = await startedService(undefined, settings, role);
    this.processes.set(role, service);
    if (role === 'webhooks') await this.#isKnown(service);
    return service;
  }

  get ingest(): ServiceProcess {
    return this.processes.get('ingest')!;
  }

  /** Answers so, once it is noted who asks. */
  noting(answering: Answering): Answering {
    return (res, req) => {
      this.senders.push(ownerOf(req.socket, this.processes));
      answering(res, req);
    };
  }

  async makeAudience(): Promise<string> {
    const definition = { trait: 'plan', is: 'pro' };
    return (await this.ingest.ask<{ id: string }>('/v1/audiences', { name: 'Pro', definition })).id;
  }

  async makeEndpoint(url: string, audience: string): Promise<string> {
    const made = { url, initial: 'members', audiences: [audience] };
    return (await this.ingest.ask<{ id: string }>('/v1/endpoints', made)).id;
  }

  /** Has this person in the audience, which is evaluated. */
  async enter(user: string, audience: string): Promise<void> {
    const batch = [{ type: 'identify', user_id: user, traits: { plan: 'pro' } }];
    await recordedIn(this.ingest, '/v1/batch', { batch });
    await this.ingest.ask(`/v1/audiences/${audience}/evaluate`, undefined, { method: 'POST' });
  }

  test(endpoint: string): Promise<object> {
    return this.ingest.ask(`/v1/endpoints/${endpoint}/test`, undefined, { method: 'POST' });
  }

  /** How many messages it has taken. */
  async delivered(endpoint: string): Promise<number> {
    const path = `/v1/endpoints/${endpoint}/deliveries?state=delivered`;
    return (await this.ingest.ask<{ deliveries: readonly object[] }>(path)).deliveries.length;
  }

  async inPostgres(sql: string): Promise<void> {
    const client = new Client({ connectionString: this.#settings['PROFILES_URL'] });
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  /** Waits until the others know of it. */
  async #isKnown({ pid }: ServiceProcess): Promise<void> {
    const known = async (): Promise<readonly string[]> => {
      const status = { key: ADMIN_KEY };
      const { processes } = await this.ingest.ask<ListedProcesses>('/v1/admin/status', undefined, status);
      return processes.flatMap(({ id, role }) => (role === 'webhooks' ? [id] : []));
    };
    await expect.poll(async () => (await known()).join(), PATIENCE).toContain(`-${pid}-`);
  }
}

interface ListedProcesses {
  readonly processes: readonly { readonly id: string; readonly role: string }[];
}

// Whose a connection is, Linux tells.
describe.skipIf(process.platform !== 'linux' || !(await canRunOnServers()))('the role webhooks', () => {
  test(
    'a process of the role webhooks alone connects to receivers and never to Kafka, and one that follows it after a kill goes on',
    { timeout: 300_000 },
    async () => {
      const servers = (await onServers())!;
      onTestFinished(() => servers.drop());
      const all = new RolesAtWork(servers.settings);
      for (const role of ['ingest', 'projector', 'sink', 'webhooks']) await all.start(role);
      const receiver = await WebhookReceiver.start();
      receiver.answering = all.noting(answer(204));
      const audience = await all.makeAudience();
      const [endpoint, topic] = [
        await all.makeEndpoint(receiver.url, audience),
        await all.makeEndpoint(TOPIC_URL, audience),
      ];
      for (const id of [endpoint, topic]) expect(await all.test(id)).toMatchObject({ state: 'delivered' });

      // It dies after the message has come and before it is answered.
      const killed = Promise.withResolvers<void>();
      receiver.answering = all.noting(
        () =>
          void all.processes
            .get('webhooks')!
            .stop('SIGKILL')
            .then(() => killed.resolve()),
      );
      await all.enter('ada', audience);
      await killed.promise;
      receiver.answering = all.noting(answer(204));
      // As if the lease of the process that was killed had run out.
      await all.inPostgres('update endpoints set claimed_until_ms = 0');
      await all.enter('bob', audience);
      // The sink sends what is its own: the test, and two messages.
      await expect.poll(() => all.delivered(topic), PATIENCE).toBe(3);
      expect(receiver.received).toHaveLength(2);

      const broker = await brokerThatNobodyNeeds();
      const webhooks = await all.start('webhooks', broker.url);
      await expect.poll(() => all.delivered(endpoint), PATIENCE).toBe(3);

      expect(receiver.told).toEqual([[], ['ada entered first'], ['ada entered first'], ['bob entered refresh']]);
      expect(receiver.ids[1]).toBe(receiver.ids[2]);
      expect(new Set(receiver.ids).size).toBe(3);
      expect(all.senders).toEqual(['webhooks', 'webhooks', 'webhooks', 'webhooks']);
      await expectHealthy(webhooks);

      // Without it they are sent where they were before: an hour after the first was killed, as the second stops in order.
      await all.inPostgres(
        `update processes set beat_at_ms = beat_at_ms - 3600000 where id not like '%-${webhooks.pid}-%'`,
      );
      expect(await webhooks.stop()).toBe(0);
      expect(broker.connections()).toBe(0);
      await all.enter('cy', audience);
      await expect.poll(() => all.delivered(endpoint), PATIENCE).toBe(4);
      await all.test(endpoint);
      expect(all.senders.slice(4)).toEqual(['sink', 'ingest']);
    },
  );
});

async function expectHealthy(webhooks: ServiceProcess): Promise<void> {
  const ready = await webhooks.request('/readyz');
  expect(await ready.json()).toMatchObject({ ready: true, parts: { profiles: 'ready', analytics: 'ready' } });
  expect(await (await webhooks.request('/healthz')).text()).toBeTruthy();
  const metrics = await (await webhooks.request('/metrics')).text();
  expect(metrics).toMatch(/^tidemark_build_info\{[^}]*role="webhooks"/m);
  expect(metrics).toContain('tidemark_webhook_attempts_total{result="delivered"} 2\n');
  expect(webhooks.output.filter((line) => !line.startsWith('{'))).toEqual([]);
}
