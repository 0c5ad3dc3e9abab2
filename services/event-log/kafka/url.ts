import { type Certificates, ServerUrl } from '../../runtime/server-url.ts';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const CLIENTS = ['kafkajs', 'platformatic'] as const;

export type KafkaMechanism = (typeof MECHANISMS)[number];
export type KafkaClientName = (typeof CLIENTS)[number];

/** The settings in a `kafka:` URL. */
export interface KafkaSettings {
  /** `host:port` of the brokers to begin with; an IPv6 host in brackets. */
  readonly brokers: readonly string[];
  readonly client: KafkaClientName;
  readonly sasl?: { readonly mechanism: KafkaMechanism; readonly username: string; readonly password: string };
  /** If present, TLS is used. */
  readonly tls?: Certificates;
  /** Prefix of the names of topics and groups, so that several installations can share a cluster. */
  readonly topicPrefix: string;
  /** Identifies this program's connections in the brokers' logs and quotas. */
  readonly clientId: string;
  /** Whether missing topics are created. */
  readonly createTopics: boolean;
  /** Copies of each partition of a new topic. Undefined: 3 where there are three brokers or more, else 1. */
  readonly replicas: number | undefined;
}

const KAFKA_URL_FORM = {
  server: 'the event log',
  ports: { kafka: 9092 },
  parameters: ['client', 'client_id', 'tls', 'ca_file', 'sasl', 'topic_prefix', 'create_topics', 'replicas'],
  hosts: 'several',
} as const;
type Url = ServerUrl<(typeof KAFKA_URL_FORM.parameters)[number]>;

// The characters that Kafka allows in the name of a topic.
const TOPIC_CHARACTERS = /^[A-Za-z0-9._-]{0,100}$/;

/**
 * `kafka://[USER:PASSWORD@]HOST[:PORT][,HOST…][?…]`
 *
 * @throws TidemarkError `CONFIG_INVALID`
 */
export function parseKafkaUrl(text: string): KafkaSettings {
  const url: Url = new ServerUrl(text, KAFKA_URL_FORM);
  if (url.path !== '') throw url.invalid('has a path');
  const sasl = saslOf(url);
  const isTls = url.flag('tls', url.text('ca_file') !== undefined);
  const certificates = url.certificates(isTls, { ca: 'ca_file' });
  return {
    brokers: url.hosts.map(({ name, port }) => `${name}:${port}`),
    client: url.oneOf('client', CLIENTS, 'platformatic'),
    topicPrefix: kafkaNameOf(url, 'topic_prefix', ''),
    clientId: kafkaNameOf(url, 'client_id', 'tidemark'),
    createTopics: url.flag('create_topics', true),
    replicas: url.count('replicas', 9_999, undefined),
    ...(sasl && { sasl }),
    ...(isTls && { tls: certificates }),
  };
}

function saslOf(url: Url): KafkaSettings['sasl'] {
  const { user: username, password } = url;
  if (username && password !== undefined) {
    return { mechanism: url.oneOf('sasl', MECHANISMS, 'plain'), username, password };
  }
  if (username !== undefined) throw url.invalid('has an @ but no user:password before it');
  if (url.text('sasl') !== undefined) throw url.invalid('asks for sasl but has no user and password');
  return undefined;
}

function kafkaNameOf(url: Url, parameter: 'topic_prefix' | 'client_id', otherwise: string): string {
  const name = url.text(parameter) ?? otherwise;
  if (TOPIC_CHARACTERS.test(name)) return name;
  throw url.invalid(`has a ${parameter} of other characters than letters, digits, ".", "_" and "-", or more than 100`);
}
