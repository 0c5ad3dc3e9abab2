import { isIP } from 'node:net';
import type { Broker, ConnectionOptions, SASLMechanismValue, SASLOptions } from '@platformatic/kafka';
import { KAFKA, KafkaFault } from '../faults.ts';
import { tokenOf } from '../tokens.ts';
import type { KafkaSasl, KafkaSettings, PasswordMechanism } from '../url.ts';

const CONNECT_TIMEOUT_MS = 3_000;
// Longer than the broker waits for replicas or for a group's members, so that its own answer arrives first.
const REQUEST_TIMEOUT_MS = 12_000;

const MECHANISMS: Readonly<Record<PasswordMechanism, SASLMechanismValue>> = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
};

export function connectionOptionsOf({ sasl, tls }: KafkaSettings, seeds: readonly Broker[]): ConnectionOptions {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    ...(sasl && { sasl: saslOptionsOf(sasl) }),
    // A TLS server name is a host name, never an address.
    ...(tls && { tls, tlsServerName: seeds.every(({ host }) => isIP(host) === 0) }),
  };
}

function saslOptionsOf(sasl: KafkaSasl): SASLOptions {
  if (sasl.mechanism !== 'oauthbearer') return { ...sasl, mechanism: MECHANISMS[sasl.mechanism] };
  return { mechanism: 'OAUTHBEARER', token: () => tokenOf(sasl.source), authBytesValidator: expectNoRefusal };
}

/** A broker that takes a token answers nothing; of one that it refuses it says why, without an error code. */
const expectNoRefusal: Required<SASLOptions>['authBytesValidator'] = (answer, callback) => {
  if (answer.length === 0) callback(null, answer);
  else callback(new KafkaFault(KAFKA.SASL_AUTHENTICATION_FAILED, 'the broker refuses the token'));
};

export function brokerOf(address: string): Broker {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(colon + 1)) };
}
