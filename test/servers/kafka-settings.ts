import type { KafkaOptions } from './kafka.ts';

export interface BrokerPorts {
  readonly client: number;
  /** What the broker tells clients to use: another than `client` where a proxy stands before it. */
  readonly advertised: number;
  readonly internal: number;
  readonly controller: number;
  /** Where `users` sign in. */
  readonly users?: number;
}

/** The user who may do everything where users sign in; the name is the password. */
export const SUPERUSER = 'tidemark';

export interface BrokerPlace {
  readonly id: number;
  readonly folder: string;
  readonly all: readonly BrokerPorts[];
  /** Holds the PEM files, where TLS is asked for. */
  readonly certificates: string | undefined;
}

/**
 * `server.properties` of one broker that is controller too. Clients have a listener of their own, so that a proxy or a cut
 * before it leaves the brokers' own traffic alone.
 */
export function brokerSettings(
  place: BrokerPlace,
  { sasl, tokensForMs, tls, users, settings = {} }: KafkaOptions,
): string {
  const own = place.all[place.id - 1];
  if (own === undefined) throw new Error(`no broker ${place.id}`);
  const all: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': place.id,
    'log.dirs': `${place.folder}/data`,
    'controller.quorum.voters': place.all.map(({ controller }, i) => `${i + 1}@127.0.0.1:${controller}`).join(','),
    ...listenerSettings(own, place.certificates !== undefined, (sasl ?? tokensForMs) !== undefined),
    ...replicationSettings(place.all.length),
    ...QUICK_SETTINGS,
    ...(sasl && saslSettings(sasl)),
    ...(users && userSettings(users)),
    ...(tokensForMs !== undefined && tokenSettings(tokensForMs)),
    ...(place.certificates !== undefined && tlsSettings(place.certificates, tls === 'mutual')),
    ...settings,
  };
  return Object.entries(all)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

function listenerSettings(own: BrokerPorts, tls: boolean, sasl: boolean): Record<string, string> {
  const protocol = `${sasl ? 'SASL_' : ''}${tls ? 'SSL' : 'PLAINTEXT'}`;
  const users = own.users === undefined ? '' : `,USERS://127.0.0.1:${own.users}`;
  return {
    listeners: `CLIENT://127.0.0.1:${own.client},INTERNAL://127.0.0.1:${own.internal},CONTROLLER://127.0.0.1:${own.controller}${users}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${own.advertised},INTERNAL://127.0.0.1:${own.internal}${users}`,
    'listener.security.protocol.map': `CLIENT:${protocol},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT,USERS:SASL_PLAINTEXT`,
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
  };
}

export function replicationSettings(brokers: number): Record<string, number> {
  const replicas = Math.min(3, brokers);
  const inSync = replicas === 3 ? 2 : 1;
  return {
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': 2,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
  };
}

/** A lost broker is noticed, and a group gathers, in seconds; nothing is made by mistake; little memory is used. */
export const QUICK_SETTINGS: Record<string, string | number> = {
  'broker.session.timeout.ms': 3_000,
  'broker.heartbeat.interval.ms': 500,
  'auto.create.topics.enable': 'false',
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 1_000,
  'log.cleaner.dedupe.buffer.size': 2_097_152,
  'num.network.threads': 2,
  'num.io.threads': 4,
};

const login = 'org.apache.kafka.common.security';

function saslSettings({ user, password }: NonNullable<KafkaOptions['sasl']>): Record<string, string> {
  const listener = 'listener.name.client';
  return {
    [`${listener}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    [`${listener}.plain.sasl.jaas.config`]: `${login}.plain.PlainLoginModule required user_${user}="${password}";`,
    [`${listener}.scram-sha-256.sasl.jaas.config`]: `${login}.scram.ScramLoginModule required;`,
    [`${listener}.scram-sha-512.sasl.jaas.config`]: `${login}.scram.ScramLoginModule required;`,
  };
}

/** What comes by another listener has no name, and may do everything. */
function userSettings(users: readonly string[]): Record<string, string> {
  const passwords = [SUPERUSER, ...users].map((user) => ` user_${user}="${user}"`).join('');
  return {
    'listener.name.users.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.users.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required${passwords};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:ANONYMOUS;User:${SUPERUSER}`,
  };
}

/** Kafka's own check takes unsigned tokens; its other one asks an identity provider for keys. */
function tokenSettings(forMs: number): Record<string, string | number> {
  const listener = 'listener.name.client';
  return {
    [`${listener}.sasl.enabled.mechanisms`]: 'OAUTHBEARER',
    [`${listener}.oauthbearer.sasl.jaas.config`]:
      'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;',
    [`${listener}.oauthbearer.connections.max.reauth.ms`]: forMs,
  };
}

function tlsSettings(certificates: string, isMutual: boolean): Record<string, string> {
  const mutual = {
    'listener.name.client.ssl.client.auth': 'required',
    'listener.name.client.ssl.truststore.type': 'PEM',
    'listener.name.client.ssl.truststore.location': `${certificates}/ca.pem`,
  };
  return {
    ...(isMutual && mutual),
    'listener.name.client.ssl.keystore.type': 'PEM',
    'listener.name.client.ssl.keystore.location': `${certificates}/server.pem`,
  };
}
