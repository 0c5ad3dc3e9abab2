import { isIP } from 'node:net';
import type { Broker, ConnectionOptions, SASLMechanismValue } from '@platformatic/kafka';
import type { KafkaMechanism, KafkaSettings } from '../url.ts';

const CONNECT_TIMEOUT_MS = 3_000;
// Longer than the broker waits for replicas or for a group's members, so that its own answer arrives first.
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
    // A TLS server name is a host name, never an address.
    ...(tls && { tls, tlsServerName: seeds.every(({ host }) => isIP(host) === 0) }),
  };
}

export function brokerOf(address: string): Broker {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(colon + 1)) };
}
