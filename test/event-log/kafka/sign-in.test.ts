/** Brokers of somebody else: they want a certificate of their clients, or tokens. */
import { randomUUID } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../../services/event-log/open.ts';
import { makeCertificates } from '../../servers/certificates.ts';
import { type KafkaCluster, startKafka } from '../../servers/kafka.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { serverUrl } from '../../servers/server.ts';
import { PATIENT, placed, records, text } from '../../support/event-log/event-log.ts';
import { startTokenServer, type TokenServer, unsignedToken } from '../../support/event-log/token-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Where the servers of the tests cannot be had, neither can these brokers.
const isThere = (await serverUrl('kafka')) !== undefined;

async function expectAppendsRead(url: string, count = 1): Promise<void> {
  const topic = `t-${randomUUID()}`;
  const log = await openEventLog(url, { topics: [topic], partitions: 1 });
  onTestFinished(() => log.close());
  const reader = await log.openReader({ group: randomUUID(), topics: [topic], start: () => Promise.resolve([]) });
  for (let i = 0; i < count; i++) {
    if (i > 0) await new Promise((resolve) => setTimeout(resolve, 300));
    await log.append(records(topic, 1));
    expect(placed(await reader.poll(PATIENT)).map(({ value }) => text(value))).toEqual(['v-0']);
  }
}

function attemptAt(url: string): Promise<unknown> {
  return openEventLog(url, { topics: ['t'] }).catch((error: unknown) => error);
}

describe.skipIf(!isThere)('brokers that want a certificate of their clients', () => {
  let folder: string;
  let cluster: KafkaCluster;
  let url: string;
  beforeAll(async () => {
    folder = await serversFolder();
    cluster = await startKafka({ folder: join(folder, 'kafka'), tls: 'mutual' });
    url = `${cluster.url}?ca_file=${cluster.certificates?.caFile}`;
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
    await removeServersFolder(folder);
  });

  test('brokers take the one that their authority signed', async () => {
    const { certFile, keyFile } = cluster.certificates!;

    await expectAppendsRead(`${url}&cert_file=${certFile}&key_file=${keyFile}`);
  });

  test('brokers refuse none, and one of another authority, permanently', async () => {
    const others = await makeCertificates(await temporaryFolder());
    const stranger = `${url}&cert_file=${others.certFile}&key_file=${others.keyFile}`;

    expect(await attemptAt(url)).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
    expect(await attemptAt(stranger)).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
  });
});

describe.skipIf(!isThere)('brokers that want tokens', () => {
  const secret = 's/cret & more';
  let folder: string;
  let cluster: KafkaCluster;
  let tokens: TokenServer;
  const byServer = (password = secret) =>
    `${cluster.url.replace('//', `//tidemark:${encodeURIComponent(password)}@`)}?sasl=oauthbearer&token_url=${tokens.url}`;
  const byCommand = (command: string) => `${cluster.url}?sasl=oauthbearer&token_command=${command}`;
  async function commandThat(does: string): Promise<string> {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, `#!/bin/sh\n${does}\n`);
    await chmod(file, 0o700);
    return file;
  }
  beforeAll(async () => {
    tokens = await startTokenServer('tidemark', secret);
    folder = await serversFolder();
    cluster = await startKafka({ folder: join(folder, 'kafka'), tokensForMs: 1_500 });
  }, 120_000);
  afterAll(async () => {
    tokens?.close();
    await cluster?.stop();
    await removeServersFolder(folder);
  });

  test('connections that open together share a token, and go on as their sessions end', async () => {
    const [before, begun] = [tokens.given, performance.now()];

    // Four times as long as a session.
    await expectAppendsRead(byServer(), 20);

    // One is kept for ten seconds.
    const most = Math.ceil((performance.now() - begun) / 10_000);
    expect(tokens.given - before).toBeGreaterThan(0);
    expect(tokens.given - before).toBeLessThanOrEqual(most);
  });

  test('a program may give them', async () => {
    await expectAppendsRead(byCommand(await commandThat(`echo ${unsignedToken('tidemark')}`)));
  });

  test.each([
    ['a secret that the server of tokens refuses', () => byServer('wrong')],
    ['an answer without a token', () => ((tokens.answer = { status: 200, body: '{}' }), byServer())],
    ['a token that is over', async () => byCommand(await commandThat(`echo ${unsignedToken('tidemark', -60)}`))],
    ['a program that prints something else', async () => byCommand(await commandThat('echo Please sign in'))],
  ])('%s is refused permanently', async (_, url) => {
    onTestFinished(() => void (tokens.answer = undefined));

    const refusal = await attemptAt(await url());

    expect(refusal).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
    expect(String(refusal)).not.toMatch(/s%2Fcret|eyJ/);
  });

  test.each([
    ['a server of tokens that fails', () => ((tokens.answer = { status: 503, body: '' }), byServer())],
    ['a program that fails', async () => byCommand(await commandThat('echo eyJzZWNyZXQ; exit 3'))],
  ])('%s is tried again', async (_, url) => {
    onTestFinished(() => void (tokens.answer = undefined));

    const failure = await attemptAt(await url());

    expect(failure).toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
    expect(String(failure)).not.toContain('eyJ');
  });

  test("the signer of Amazon MSK is named where it isn't installed", async () => {
    const refusal = await attemptAt(`${cluster.url}?sasl=msk-iam&region=eu-central-1`);

    expect(refusal).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
    expect(String(refusal)).toContain('aws-msk-iam-sasl-signer-js');
  });
});
