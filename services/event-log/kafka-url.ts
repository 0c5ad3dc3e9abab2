import { TidemarkError } from '../runtime/errors.ts';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const CLIENTS = ['kafkajs', 'platformatic'] as const;

export type KafkaMechanism = (typeof MECHANISMS)[number];
export type KafkaClientName = (typeof CLIENTS)[number];

/** What a `kafka:` URL says. */
export interface KafkaSettings {
  /** `host:port` of the brokers to begin with; an IPv6 host in brackets. */
  readonly brokers: readonly string[];
  readonly client: KafkaClientName;
  readonly sasl?: { readonly mechanism: KafkaMechanism; readonly username: string; readonly password: string };
  /** TLS is spoken; the file, where given, holds the certificates (PEM) to trust in place of the system's. */
  readonly tls?: { readonly caFile?: string };
  /** Stands before the names of topics and groups, so that several installations share a cluster. */
  readonly topicPrefix: string;
  /** Tells this program's connections apart in the brokers' logs and quotas. */
  readonly clientId: string;
  /** Whether topics that are missing are made. */
  readonly createTopics: boolean;
  /** Copies of each partition of a topic that is made. Undefined: 3 where there are three brokers or more, else 1. */
  readonly replicas: number | undefined;
}

const PARAMETERS = ['client', 'client_id', 'tls', 'ca_file', 'sasl', 'topic_prefix', 'create_topics', 'replicas'];
// What Kafka allows in the name of a topic.
const TOPIC_CHARACTERS = /^[A-Za-z0-9._-]*$/;
const DEFAULT_PORT = 9092;

/**
 * `kafka://[user:password@]host[:port][,host[:port]…][?client=…&client_id=…&tls=true&ca_file=…&sasl=…&topic_prefix=…
 * &create_topics=false&replicas=…]`; what is special in a URL is percent-encoded in user and password.
 *
 * @throws TidemarkError `CONFIG_INVALID`, which names what is wrong and never the password.
 */
export function parseKafkaUrl(url: string): KafkaSettings {
  const match = /^kafka:\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/?(?:\?([^#]*))?$/.exec(url);
  if (match === null) throw invalid('is not of the form kafka://[user:password@]host:port[,host:port…][?…]');
  const [, credentials, hosts = '', query = ''] = match;
  const parameters = readParameters(query);
  const sasl = readSasl(credentials, parameters.get('sasl'));
  const tls = readTls(parameters);
  return {
    brokers: readBrokers(hosts),
    client: oneOf('client', parameters.get('client') ?? 'platformatic', CLIENTS),
    topicPrefix: readName('topic_prefix', parameters.get('topic_prefix') ?? ''),
    clientId: readName('client_id', parameters.get('client_id') ?? 'tidemark'),
    createTopics: readBoolean('create_topics', parameters.get('create_topics') ?? 'true'),
    replicas: readCount('replicas', parameters.get('replicas')),
    ...(sasl && { sasl }),
    ...(tls && { tls }),
  };
}

function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!PARAMETERS.includes(name)) {
      throw invalid(`has a parameter that nobody knows, ${JSON.stringify(name)} (known: ${PARAMETERS.join(', ')})`);
    }
    if (parameters.has(name)) throw invalid(`has ${name} twice`);
    parameters.set(name, value);
  }
  return parameters;
}

function readBrokers(hosts: string): readonly string[] {
  const brokers = hosts.split(',').map((broker) => {
    const [, host, port = String(DEFAULT_PORT)] = /^(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+)(?::(\d+))?$/.exec(broker) ?? [];
    if (host === undefined) throw invalid(`names no broker in ${JSON.stringify(broker)}: it is host:port`);
    if (Number(port) < 1 || Number(port) > 65_535) throw invalid(`names the port ${port}, which is none`);
    return `${host}:${Number(port)}`;
  });
  if (new Set(brokers).size < brokers.length) throw invalid('names a broker twice');
  return brokers;
}

function readSasl(credentials: string | undefined, mechanism: string | undefined): KafkaSettings['sasl'] {
  if (credentials === undefined) {
    if (mechanism !== undefined) throw invalid(`asks for sasl=${mechanism} but has no user and password`);
    return undefined;
  }
  const colon = credentials.indexOf(':');
  if (colon < 1) throw invalid('has an @ but no user:password before it');
  return {
    mechanism: oneOf('sasl', mechanism ?? 'plain', MECHANISMS),
    username: decode('user', credentials.slice(0, colon)),
    password: decode('password', credentials.slice(colon + 1)),
  };
}

function readTls(parameters: ReadonlyMap<string, string>): KafkaSettings['tls'] {
  const caFile = parameters.get('ca_file');
  const wanted = readBoolean('tls', parameters.get('tls') ?? String(caFile !== undefined));
  if (!wanted && caFile !== undefined) throw invalid('has a ca_file but tls=false');
  if (caFile === '') throw invalid('has an empty ca_file');
  if (!wanted) return undefined;
  return caFile === undefined ? {} : { caFile };
}

function readName(parameter: string, name: string): string {
  if (TOPIC_CHARACTERS.test(name) && name.length <= 100) return name;
  throw invalid(`has a ${parameter} of other characters than letters, digits, ".", "_" and "-", or more than 100`);
}

function readCount(parameter: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw invalid(`has ${parameter}=${JSON.stringify(text)}; it is a count`);
}

function readBoolean(parameter: string, text: string): boolean {
  return oneOf(parameter, text, ['true', 'false'] as const) === 'true';
}

function oneOf<T extends string>(parameter: string, text: string, known: readonly T[]): T {
  const found = known.find((one) => one === text.toLowerCase());
  if (found === undefined) throw invalid(`has ${parameter}=${JSON.stringify(text)}; it is one of ${known.join(', ')}`);
  return found;
}

function decode(what: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`has a ${what} that is not percent-encoded as it must be`);
  }
}

function invalid(why: string): TidemarkError {
  return new TidemarkError('CONFIG_INVALID', `the URL of the event log ${why}`);
}
