import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openSchemaIds } from '../../../services/messages/registry/open.ts';
import { makeCertificates } from '../../servers/certificates.ts';
import { serverUrl } from '../../servers/server.ts';
import { RegistryGate, type Trouble } from '../../support/event-log/registry-gate.ts';
import { newPrefix } from '../../support/event-log/registry.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const registry = (await serverUrl('registry')) ?? '';
const credentials = { user: 'tidemark', password: 'pa:ss/w%rd ü' };

describe.skipIf(registry === '')('a registry with a password', () => {
  test('is entered with it', async () => {
    const gate = await RegistryGate.open(registry, { credentials });

    await expect(openSchemaIds(gate.url(), { topicPrefix: newPrefix() })).resolves.toBeDefined();
  });

  test.each([
    ['another', { user: 'tidemark', password: 'wr0ng-w0rd' }],
    ['none', { user: '', password: '' }],
  ])('is not entered with %s, and the password is in no text', async (_what, wrong) => {
    const gate = await RegistryGate.open(registry, { credentials });

    const error = await openSchemaIds(gate.url(wrong)).catch((error: unknown) => error);

    expect(error).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
    const everything = inspect(error, { depth: 20, showHidden: true });
    expect(everything).not.toContain('wr0ng-w0rd');
    expect(everything).not.toContain(Buffer.from('tidemark:wr0ng-w0rd').toString('base64'));
  });
});

describe.skipIf(registry === '')('TLS', () => {
  test('TLS is used with a registry whose authority is in ca_file, and with no other', async () => {
    const { caFile, folder } = await makeCertificates(await temporaryFolder());
    const gate = await RegistryGate.open(registry, { credentials, serverPem: `${folder}/server.pem` });

    await expect(openSchemaIds(`${gate.url()}?ca_file=${caFile}`, { topicPrefix: newPrefix() })).resolves.toBeDefined();
    await expect(openSchemaIds(gate.url())).rejects.toMatchObject({ code: 'SERVER_DENIED' });
  });

  test('TLS fails with a server that has none', async () => {
    const gate = await RegistryGate.open(registry);

    const url = gate.url().replace('http:', 'https:');

    await expect(openSchemaIds(url)).rejects.toMatchObject({ code: 'SERVER_DENIED' });
  });
});

describe.skipIf(registry === '')('a registry that gives trouble at the start', () => {
  test.each<[string, Trouble, string]>([
    ['is out of order', { status: 500, body: '{"error_code":50001}' }, 'STORE_UNAVAILABLE'],
    ['fails with a body of null', { status: 503, body: 'null' }, 'STORE_UNAVAILABLE'],
    ['is asked too often', { status: 429, body: '' }, 'STORE_UNAVAILABLE'],
    ['cuts its answer off', 'cut', 'STORE_UNAVAILABLE'],
    ['does not answer', 'stall', 'STORE_UNAVAILABLE'],
    ['does not let us in', { status: 403, body: '' }, 'SERVER_DENIED'],
    ['does not take the schema', { status: 422, body: '{"error_code":42201}' }, 'SCHEMA_INCOMPATIBLE'],
    ['is not a registry', { status: 404, body: '<h1>Not found</h1>' }, 'CONFIG_INVALID'],
    ['is a web page', { status: 200, body: '<h1>Welcome</h1>' }, 'CONFIG_INVALID'],
    ['is another service', { status: 200, body: '{"name":"search"}' }, 'CONFIG_INVALID'],
    ['moved', { status: 301, body: '' }, 'CONFIG_INVALID'],
  ])('because it %s', async (_what, trouble, code) => {
    const gate = await RegistryGate.open(registry);
    gate.trouble = () => trouble;

    const opening = openSchemaIds(gate.url());

    await expect(opening).rejects.toMatchObject({ code, retryable: code === 'STORE_UNAVAILABLE' });
  });

  test('because it is not there', async () => {
    const gate = await RegistryGate.open(registry);
    await gate.close();

    await expect(openSchemaIds(gate.url())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  });
});
