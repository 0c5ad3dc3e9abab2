import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { openSchemaIds, parseRegistryUrl } from '../../../services/messages/registry/open.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('without a registry, the ids are those of the program', async () => {
  expect(await openSchemaIds(undefined)).toBeInstanceOf(EmbeddedSchemaIds);
});

describe("a registry's URL", () => {
  test("a registry's URL is shown without name, password, parameters and trailing slash", async () => {
    const caFile = join(await temporaryFolder(), 'ca.pem');
    const ca = rootCertificates[0]!;
    await writeFile(caFile, ca);

    expect(parseRegistryUrl(`https://me:secret@registry:8081/apis/v7/?ca_file=${caFile}`)).toEqual({
      base: 'https://registry:8081/apis/v7',
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
      ca,
    });
    expect(parseRegistryUrl('http://registry')).toEqual({
      base: 'http://registry',
      authorization: undefined,
      ca: undefined,
    });
  });

  test("a registry's URL has name and password percent-encoded", () => {
    const { authorization } = parseRegistryUrl('http://a%3Ab:%40%25%C3%BC@registry:8081');

    expect(authorization).toBe(`Basic ${Buffer.from('a:b:@%ü').toString('base64')}`);
  });

  test.each([
    ['nothing of a URL', 'me:hunter2'],
    ['no host', 'http://me:hunter2@'],
    ['another scheme', 'ftp://me:hunter2@registry'],
    ['a password that is not encoded', 'http://me:hunter2%@registry'],
    ['a parameter that nobody knows', 'https://me:hunter2@registry?cafile=x'],
    ['ca_file without TLS', 'http://me:hunter2@registry?ca_file=package.json'],
    ['ca_file that is not there', 'https://me:hunter2@registry?ca_file=/nowhere/ca.pem'],
  ])("a registry's URL is refused with %s, without its password", async (_what, url) => {
    await expect(openSchemaIds(url)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.not.stringContaining('hunter2') as string,
    });
  });
});
