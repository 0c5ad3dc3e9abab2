/** The topic of changes of audiences, of a whole service on servers, read by Kafka's own clients. */
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { ConfigResourceTypes } from 'kafkajs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AUDIENCE_CHANGE_TOPIC } from '../../services/messages/message.ts';
import { TOPIC_URL } from '../../services/webhooks/topic.ts';
import { readRecords, rawKafka } from '../faults/kafka/raw-reader.ts';
import { readersPassed } from '../support/service/readers-passed.ts';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import { ADMIN_KEY, READ_KEY, type ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { spawnCli } from '../support/service/spawn-cli.ts';

const PATIENCE = { timeout: 90_000 };

/** A record as the registry's own client decodes it, with its key. */
type Decoded = Readonly<Record<string, unknown>> & { readonly key: string };

class Topic {
  readonly name: string;
  readonly #brokers: readonly string[];
  readonly #registry: SchemaRegistry;

  constructor({ EVENT_LOG_URL, SCHEMA_REGISTRY_URL }: OnServers['settings']) {
    const url = new URL(EVENT_LOG_URL);
    this.#brokers = [url.host];
    this.name = `${url.searchParams.get('topic_prefix')}${AUDIENCE_CHANGE_TOPIC}`;
    this.#registry = new SchemaRegistry({ host: SCHEMA_REGISTRY_URL });
  }

  /** All records, those of a user in order. */
  async records(): Promise<readonly Decoded[]> {
    const records = await readRecords(this.#brokers, this.name);
    return Promise.all(
      records.map(async ({ key, value }) => {
        const decoded = (await this.#registry.decode(value)) as Readonly<Record<string, unknown>>;
        return { ...decoded, key: key.toString() };
      }),
    );
  }

  async settings(): Promise<Readonly<Record<string, string>>> {
    const admin = rawKafka(this.#brokers).admin();
    await admin.connect();
    const configNames = ['retention.ms', 'segment.ms', 'cleanup.policy'];
    const described = await admin.describeConfigs({
      resources: [{ type: ConfigResourceTypes.TOPIC, name: this.name, configNames }],
      includeSynonyms: false,
    });
    await admin.disconnect();
    const entries = described.resources[0]?.configEntries ?? [];
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
  }
}

class Shop {
  readonly service: ServiceProcess;

  constructor(service: ServiceProcess) {
    this.service = service;
  }

  send<T = object>(path: string, body?: object, method = 'POST', key = READ_KEY): Promise<T> {
    return this.service.ask(path, body, { method, key });
  }

  async identify(plans: Readonly<Record<string, string>>): Promise<void> {
    // As text: a double would lose digits.
    const batch = Object.entries(plans).map(
      ([user, plan]) => `{"type":"identify","user_id":"${user}","traits":{"plan":"${plan}","n":12345678901234567890}}`,
    );
    const headers = { api_key: WRITE_KEY, 'content-type': 'application/json' };
    const body = `{"batch":[${batch.join()}]}`;
    const sent = await fetch(`${this.service.url}/v1/batch`, { method: 'POST', headers, body });
    await readersPassed(this.service, ((await sent.json()) as { receipt: string }).receipt);
  }

  /** Lines of `GET changes`, as the interface has them. */
  async changes(audience: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const answer = await this.service.request(`/v1/audiences/${audience}/changes?since=2026-01-01&traits=n`);
    const lines = (await answer.text()).split('\n').filter((line) => line.includes('"change"'));
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }
}

describe.skipIf(!(await canRunOnServers()))('the topic of changes', () => {
  test(
    'the topic has what GET changes has, by user in order, read by a foreign client',
    { timeout: 300_000 },
    async () => {
      const servers = (await onServers())!;
      onTestFinished(() => servers.drop());
      const service = await startedService(undefined, servers.settings);
      const [shop, topic] = [new Shop(service), new Topic(servers.settings)];
      await shop.identify({ ada: 'pro', bob: 'free' });
      const definition = { trait: 'plan', is: 'pro' };
      const { id } = await shop.send<{ id: string }>('/v1/audiences', { name: 'Pro', definition });
      const line = ['endpoint', 'create', TOPIC_URL, '--audience', id, '--traits', 'n', '--initial', 'members'];
      const types = ['--type', 'audience.changed', '--type', 'user.forgotten'];
      const settings = { TIDEMARK_KEY: ADMIN_KEY };
      const made = await spawnCli([...line, ...types, '--url', service.url, '--json'], settings);
      const endpoint = JSON.parse(made) as { readonly id: string; readonly project_id: string };

      const tested = await shop.send(`/v1/endpoints/${endpoint.id}/test`);
      await shop.send(`/v1/audiences/${id}/evaluate`);
      await shop.identify({ ada: 'free', bob: 'pro' });
      await shop.send(`/v1/audiences/${id}/evaluate`);

      expect(tested).toMatchObject({ state: 'delivered', last_attempt: { status: null, answer: '1 record' } });
      const changed = async (): Promise<readonly Decoded[]> =>
        (await topic.records()).filter(({ audience_id: audience }) => audience === id);
      await expect.poll(async () => (await changed()).length, PATIENCE).toBe(3);
      const expected = (await shop.changes(id)).map((one) => ({
        key: `${endpoint.project_id}/${String(one['internal_id'])}`,
        user_key: one['internal_id'],
        user_id: one['user_id'],
        anonymous_id: null,
        change: one['change'],
        at: one['at'],
        audience_version: one['version'],
        cause: one['cause'],
      }));
      const found = (await changed()).map(({ key, user_key, user_id, anonymous_id, change, at, ...rest }) => {
        const { audience_version, cause } = rest;
        return { key, user_key, user_id, anonymous_id, change, at: timeOf(at), audience_version, cause };
      });
      expect(byUser(found)).toEqual(byUser(expected));
      for (const one of await changed()) {
        const of = { project_id: endpoint.project_id, endpoint_id: endpoint.id, audience_name: 'Pro' };
        expect(one).toMatchObject({ ...of, traits: '{"n":12345678901234567890}' });
      }
      expect(await topic.settings()).toMatchObject({ 'retention.ms': '604800000', 'segment.ms': '86400000' });

      const newest = String((await shop.changes(id)).at(-1)?.['at']);
      await shop.send(`/v1/endpoints/${endpoint.id}/resend`, { since: beforeTime(newest) });
      await expect.poll(async () => (await changed()).length, PATIENCE).toBe(5);
      const ids = (await changed()).map(
        ({ message_id: messageId, user_key: user }) => `${String(messageId)} ${String(user)}`,
      );
      expect(new Set(ids).size).toBe(5);

      await shop.send(`/v1/users/ada?project=${endpoint.project_id}`, undefined, 'DELETE', ADMIN_KEY);
      await expect
        .poll(async () => (await topic.records()).filter(({ change }) => change === 'forgotten'), PATIENCE)
        .toMatchObject([{ user_id: 'ada', audience_id: null, endpoint_id: endpoint.id }]);
      expect(await service.stop()).toBe(0);
    },
  );
});

function timeOf(micros: unknown): string {
  const text = String(micros);
  return new Date(Number(text.slice(0, -3))).toISOString().replace('Z', `${text.slice(-3)}Z`);
}

function beforeTime(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

function byUser<T extends { readonly user_id: unknown }>(all: readonly T[]): Readonly<Record<string, readonly T[]>> {
  return Object.fromEntries(Map.groupBy(all, ({ user_id: user }) => String(user)).entries()) as Record<string, T[]>;
}
