import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { readClickHouseUrl } from '../../../../services/stores/analytics/clickhouse/url.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const PLAIN = {
  origin: 'http://host:8123',
  username: 'default',
  password: '',
  database: 'default',
  cluster: undefined,
  insertQuorum: 'auto',
  tls: {},
  compression: 'zstd',
};

test.each([
  ['http://host', PLAIN],
  ['http://host:8123/', PLAIN],
  ['https://host/tidemark', { ...PLAIN, origin: 'https://host:8443', database: 'tidemark' }],
  ['http://[::1]:9/a%2Db', { ...PLAIN, origin: 'http://[::1]:9', database: 'a-b', compression: 'none' }],
  ['http://127.1', { ...PLAIN, origin: 'http://127.0.0.1:8123', compression: 'none' }],
  ['http://localhost?compression=gzip', { ...PLAIN, origin: 'http://localhost:8123', compression: 'gzip' }],
  ['http://localhost.example', { ...PLAIN, origin: 'http://localhost.example:8123' }],
  ['http://ada:p%40ss%2F%3A@host/x', { ...PLAIN, username: 'ada', password: 'p@ss/:', database: 'x' }],
  ['http://host/x?cluster=blue&insert_quorum=2', { ...PLAIN, database: 'x', cluster: 'blue', insertQuorum: '2' }],
  ['http://host:80?compression=none', { ...PLAIN, origin: 'http://host', compression: 'none' }],
  ['https://host:443', { ...PLAIN, origin: 'https://host' }],
])('the ClickHouse URL %s is parsed', (url, address) => {
  expect(readClickHouseUrl(url)).toEqual(address);
});

test('the authorities to trust are read from their file', async () => {
  const file = join(await temporaryFolder(), 'ca.pem');
  const ca = rootCertificates[0]!;
  await writeFile(file, ca);

  expect(readClickHouseUrl(`https://host?ca_file=${file}&compression=none`)).toEqual({
    ...PLAIN,
    origin: 'https://host:8443',
    tls: { ca },
    compression: 'none',
  });
});

test.each([
  'http://ada:secret#1@host/x',
  'http://ada:secret%@host/x',
  'http://ada:secret@host/x/y',
  'http://ada:secret@host/x?clutser=y',
  'http://ada:secret@host/x?insert_quorum=most',
  'http://ada:secret@host/x?compression=best',
  'http://ada:secret@host/x?ca_file=package.json',
  'https://ada:secret@host/x?cert_file=package.json',
])('%s is CONFIG_INVALID, and the error does not tell the password', (url) => {
  let error: unknown;
  try {
    readClickHouseUrl(url);
  } catch (thrown) {
    error = thrown;
  }

  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(`${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}`).not.toContain('secret');
});
