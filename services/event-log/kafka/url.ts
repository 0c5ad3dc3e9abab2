import { type Certificates, ServerUrl } from '../../runtime/server-url.ts';

import type { TokenSource } from './tokens.ts';

const PASSWORD_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const MECHANISMS = [...PASSWORD_MECHANISMS, 'oauthbearer', 'msk-iam'] as const;
const CLIENTS = ['kafkajs', 'platformatic'] as const;

export type PasswordMechanism = (typeof PASSWORD_MECHANISMS)[number];
export type KafkaClientName = (typeof CLIENTS)[number];

/** How the service signs in to brokers. */
export type KafkaSasl =
  | { readonly mechanism: PasswordMechanism; readonly username: string; readonly password: string }
  | { readonly mechanism: 'oauthbearer'; readonly source: TokenSource };

/** The settings in a `kafka:` URL. */
export interface KafkaSettings {
  /** `host:port` of the brokers to begin with; an IPv6 host in brackets. */
  readonly brokers: readonly string[];
  readonly client: KafkaClientName;
  readonly sasl?: KafkaSasl;
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
  parameters: [
    'client',
    'client_id',
    'tls',
    'ca_file',
    'cert_file',
    'key_file',
    'sasl',
    'token_command',
    'token_url',
    'scope',
    'region',
    'topic_prefix',
    'create_topics',
    'replicas',
  ],
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
  const files = { ca: 'ca_file', cert: 'cert_file', key: 'key_file' } as const;
  const isTls = url.flag(
    'tls',
    Object.values(files).some((file) => url.text(file) !== undefined),
  );
  const certificates = url.certificates(isTls, files);
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

function saslOf(url: Url): KafkaSasl | undefined {
  const { user: username, password } = url;
  const mechanism = url.oneOf('sasl', MECHANISMS, 'plain');
  const isByToken = mechanism === 'oauthbearer' || mechanism === 'msk-iam';
  const stray = TOKEN_PARAMETERS.find((name) => url.text(name) !== undefined && !USED_BY[mechanism]?.includes(name));
  if (stray !== undefined) throw url.invalid(`has a ${stray}, which sasl=${mechanism} does not use`);
  if (isByToken) return { mechanism: 'oauthbearer', source: tokenSourceOf(url, mechanism) };
  if (username && password !== undefined) return { mechanism, username, password };
  if (username !== undefined) throw url.invalid('has an @ but no user:password before it');
  if (url.text('sasl') !== undefined) throw url.invalid('asks for sasl but has no user and password');
  return undefined;
}

const TOKEN_PARAMETERS = ['token_command', 'token_url', 'scope', 'region'] as const;
const USED_BY: Readonly<Partial<Record<string, readonly string[]>>> = {
  oauthbearer: ['token_command', 'token_url', 'scope'],
  'msk-iam': ['region'],
};

function tokenSourceOf(url: Url, mechanism: 'oauthbearer' | 'msk-iam'): TokenSource {
  const { user: clientId, password: secret } = url;
  const [command, at, region] = [url.text('token_command'), url.text('token_url'), url.text('region')];
  if (url.text('client') === 'kafkajs') throw url.invalid(`has sasl=${mechanism}, which client=kafkajs does not speak`);
  if (at !== undefined && command === undefined) {
    if (!/^https?:$/.test(URL.parse(at)?.protocol ?? ''))
      throw url.invalid('has a token_url that is no http(s) address');
    if (!clientId || !secret) throw url.invalid('has a token_url but no client id and secret before the @');
    return { from: 'url', url: at, clientId, secret, scope: url.text('scope') };
  }
  if (clientId !== undefined) throw url.invalid(`has a user, but sasl=${mechanism} takes one with a token_url alone`);
  if (mechanism === 'msk-iam') {
    if (!region) throw url.invalid('has sasl=msk-iam but no region');
    return { from: 'msk', region };
  }
  if (!command || at !== undefined)
    throw url.invalid('has sasl=oauthbearer without one of token_command and token_url');
  return { from: 'command', command };
}

function kafkaNameOf(url: Url, parameter: 'topic_prefix' | 'client_id', otherwise: string): string {
  const name = url.text(parameter) ?? otherwise;
  if (TOPIC_CHARACTERS.test(name)) return name;
  throw url.invalid(`has a ${parameter} of other characters than letters, digits, ".", "_" and "-", or more than 100`);
}
