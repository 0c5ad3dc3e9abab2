import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../services/event-log/kafka/faults.ts';
import { kafkajsFault } from '../../services/event-log/kafka/kafkajs/internals.ts';
import { platformaticFault } from '../../services/event-log/kafka/platformatic/answers.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { RegistryError } from '../../services/messages/registry/confluent-http.ts';
import { registrationError } from '../../services/messages/registry/confluent.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';
import { hasCode, isRetryable } from '../../services/runtime/errors.ts';
import { reasonOf } from '../../services/runtime/transport-faults.ts';
import { openingError } from '../../services/stores/analytics/clickhouse/errors.ts';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { connectError } from '../../services/stores/database/postgres/errors.ts';
import { readPostgresUrl } from '../../services/stores/database/postgres/url.ts';
import { type ServerName, serverUrl } from '../servers/server.ts';
import {
  certificateChains,
  deafPort,
  listen,
  PLAIN_ANSWERS,
  type Start,
  TLS_ANSWERS,
  tlsServer,
} from '../support/service/faulty-servers.ts';

/** Whether the fault ends the process or is retried; the log and the stores have a code of their own for each. */
type Outcome = 'ends' | 'waits';

interface Adapter {
  readonly name: string;
  readonly server: ServerName;
  /** The first bytes of its protocol. */
  readonly start: Start;
  /** @param ca The authority to trust for a server with TLS; undefined for one without. */
  readonly open: (place: string, ca: string | undefined) => Promise<{ close?: () => Promise<void> }>;
  /** The error that it makes of what Node throws while it connects. */
  readonly failure: (error: Error) => unknown;
}

const kafka = (client: string, faultFrom: (error: Error) => unknown): Adapter => ({
  name: `Kafka by ${client}`,
  server: 'kafka',
  start: 'kafka',
  open: (place, ca) =>
    openEventLog(`kafka://me:hunter2@${place}?client=${client}${ca === undefined ? '' : `&ca_file=${ca}`}`, {
      topics: ['t'],
    }),
  failure: (error) => failureOf(faultFrom(error), 'to connect'),
});

const http = (place: string, ca: string | undefined): string =>
  ca === undefined ? `http://me:hunter2@${place}/x` : `https://me:hunter2@${place}/x?ca_file=${ca}`;

const ADAPTERS: readonly Adapter[] = [
  kafka('kafkajs', kafkajsFault),
  kafka('platformatic', platformaticFault),
  {
    name: 'Postgres',
    server: 'postgres',
    start: 'postgres',
    open: (place, ca) =>
      openDatabase(
        `postgres://me:hunter2@${place}/x${ca === undefined ? '' : `?sslmode=verify-full&sslrootcert=${ca}`}`,
      ),
    failure: (error) => connectError(error, readPostgresUrl('postgres://me@h/x')),
  },
  {
    name: 'ClickHouse',
    server: 'clickhouse',
    start: 'http',
    open: (place, ca) => openAnalytics(http(place, ca)),
    failure: openingError,
  },
  {
    name: 'the schema registry',
    server: 'registry',
    start: 'http',
    open: async (place, ca) => {
      await openSchemaIds(http(place, ca));
      return {};
    },
    failure: (error) => registrationError(new RegistryError(0, 'failed', { cause: error }), 's', 'http://h'),
  },
];

const EXPECTED = {
  ends: { code: 'SERVER_DENIED', retryable: false },
  waits: { code: expect.stringMatching(/^(LOG|STORE)_UNAVAILABLE$/) as string, retryable: true },
};

// https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes, then errors.html
const ENDS = [
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'CERT_SIGNATURE_FAILURE',
  'CRL_SIGNATURE_FAILURE',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_HAS_EXPIRED',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'INVALID_CA',
  'PATH_LENGTH_EXCEEDED',
  'INVALID_PURPOSE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'HOSTNAME_MISMATCH',
  'UNSPECIFIED',
  'EPROTO',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
];
const WAITS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EMFILE',
  'OUT_OF_MEM',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
  'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
  'ERR_SSL_UNEXPECTED_EOF_WHILE_READING',
];

const reset = (socket: Socket): unknown => socket.once('data', () => socket.resetAndDestroy());
const close = (socket: Socket): unknown => socket.once('data', () => socket.end());

let folder: string;
let chains: Awaited<ReturnType<typeof certificateChains>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  chains = await certificateChains(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(ADAPTERS)('$name', ({ open, start, server, failure }) => {
  const at = async (port: Promise<number>, host = '127.0.0.1'): Promise<string> => `${host}:${await port}`;

  test.each<[Outcome, string, () => Promise<unknown>]>([
    ['ends', 'another authority', async () => open(await at(tlsServer(start, chains.good)), chains.other.caFile)],
    [
      'ends',
      'an expired certificate',
      async () => open(await at(tlsServer(start, chains.expired)), chains.expired.caFile),
    ],
    [
      'ends',
      "another host's certificate",
      async () => open(await at(tlsServer(start, chains.good), '127.0.0.2'), chains.good.caFile),
    ],
    [
      'ends',
      'an authority that may not be one',
      async () => open(await at(tlsServer(start, chains.invalidCa)), chains.invalidCa.caFile),
    ],
    [
      'ends',
      "a client's certificate as the server's",
      async () => open(await at(tlsServer(start, chains.invalidPurpose)), chains.invalidPurpose.caFile),
    ],
    [
      'ends',
      'only an old TLS',
      async () =>
        open(
          await at(
            tlsServer(start, { ...chains.good, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' }),
          ),
          chains.good.caFile,
        ),
    ],
    [
      'ends',
      'a certificate wanted of us',
      async () =>
        open(
          await at(tlsServer(start, { ...chains.good, requestCert: true, rejectUnauthorized: true })),
          chains.good.caFile,
        ),
    ],
    [
      'ends',
      'no TLS where we ask for it',
      async () => open(await at(listen(PLAIN_ANSWERS[start])), chains.good.caFile),
    ],
    ['ends', 'TLS where we do not', async () => open(await at(listen(TLS_ANSWERS[start])), undefined)],
    ['waits', 'nobody at its port', async () => open(await at(deafPort()), undefined)],
    ['waits', 'nobody at its port, TLS or not', async () => open(await at(deafPort()), chains.good.caFile)],
    ['waits', 'a name that nobody knows', () => open('nowhere.invalid:1', undefined)],
    ['waits', 'a connection that is reset', async () => open(await at(listen(reset)), undefined)],
    [
      'waits',
      'a connection that is reset in the handshake',
      async () => open(await at(listen(reset)), chains.good.caFile),
    ],
    ['waits', 'a connection that is closed', async () => open(await at(listen(close)), undefined)],
    [
      'waits',
      'a connection that is closed in the handshake',
      async () => open(await at(listen(close)), chains.good.caFile),
    ],
  ])('%s with %s', async (outcome, _, opening) => {
    const error: unknown = await opening().catch((reason: unknown) => reason);

    expect(error).toMatchObject(EXPECTED[outcome]);
    expect(String(error)).not.toContain('hunter2');
  });

  test('a real server without TLS is reported as such where TLS is required', async ({ skip }) => {
    const url = (await serverUrl(server)) ?? skip();
    const place = /[\d.]+:\d+/.exec(url)?.[0] ?? '';

    const error: unknown = await open(place, chains.good.caFile).catch((reason: unknown) => reason);

    expect(error).toMatchObject(EXPECTED.ends);
  });

  test.each([
    ['ends', ENDS],
    ['waits', WAITS],
  ] as const)('%s with its codes', (outcome, codes) => {
    const isOther = (code: string): boolean => {
      const error = failure(Object.assign(new Error('m'), { code }));
      return isRetryable(error) !== (outcome === 'waits') || (outcome === 'ends' && !hasCode(error, 'SERVER_DENIED'));
    };

    expect(codes.filter(isOther)).toEqual([]);
  });
});

test('of an error over several addresses each reason is told, and of OpenSSL’s text what a person reads', () => {
  const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
  const openssl = new Error('write EPROTO 40:error:0A00010B:SSL routines:f:wrong version number:../deps/a.c:77:');

  expect(reasonOf(new Error('', { cause: new AggregateError(refused) }))).toBe(
    'connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1',
  );
  expect(reasonOf(openssl)).toBe('wrong version number');
});
