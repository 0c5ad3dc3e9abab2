import { isIP } from 'node:net';
import type { Broker, ConnectionOptions, SASLMechanismValue } from '@platformatic/kafka';
import type { KafkaMechanism, KafkaSettings } from '../url.ts';

const CONNECT_TIMEOUT_MS = 3_000;
// The broker says by itself that replicas, or a group's members, are too slow, before we give the request up.
const REQUEST_TIMEOUT_MS = 12_000;

const MECHANISMS: Readonly<Record<KafkaMechanism, SASLMechanismValue>> = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
};

export function connectionOptionsOf({ sasl, tls }: KafkaSettings, seeds: readonly Broker[]): ConnectionOptions {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    ...(sasl && { sasl: { ...sasl, mechanism: MECHANISMS[sasl.mechanism] } }),
    // TLS names a host to the server, and no address.
    ...(tls && { tls, tlsServerName: seeds.every(({ host }) => isIP(host) === 0) }),
  };
}

export function brokerOf(address: string): Broker {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(colon + 1)) };
}
