import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readClickHouseUrl } from '../../services/stores/analytics/clickhouse/url.ts';
import { readPostgresUrl } from '../../services/stores/database/postgres/url.ts';
import { parseKafkaUrl } from '../../services/event-log/kafka/url.ts';
import { ServerUrl } from '../../services/runtime/server-url.ts';
import { parseRegistryUrl } from '../../services/messages/registry/open.ts';
import { printed } from '../support/service/printed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Kind {
  readonly name: string;
  readonly scheme: string;
  readonly path: string;
  readonly read: (url: string) => unknown;
  /** The parameter that asks for TLS, and the one that names a file of authorities. */
  readonly tls: string;
  readonly caFile: string;
}

const KINDS: readonly Kind[] = [
  { name: 'Kafka', scheme: 'kafka', path: '', read: parseKafkaUrl, tls: 'tls=true', caFile: 'ca_file' },
  {
    name: 'Postgres',
    scheme: 'postgres',
    path: '/x',
    read: readPostgresUrl,
    tls: 'sslmode=verify-full',
    caFile: 'sslrootcert',
  },
  {
    name: 'ClickHouse',
    scheme: 'https',
    path: '/x',
    read: readClickHouseUrl,
    tls: 'compression=none',
    caFile: 'ca_file',
  },
  { name: 'the registry', scheme: 'https', path: '/x', read: parseRegistryUrl, tls: '', caFile: 'ca_file' },
];

describe.each(KINDS)('the URL of $name', ({ scheme, path, read, tls, caFile }) => {
  const url = (query: string): string => `${scheme}://me:hunter2@host:1234${path}${query}`;

  test.each([
    ['of another scheme', `ftp://me:hunter2@host${path}`],
    ['without slashes', `${scheme}:me:hunter2@host${path}`],
    ['without a host', `${scheme}://me:hunter2@${path}?x`],
    ['with a port and no host', `${scheme}://me:hunter2@:1234${path}`],
    ['with port 0', `${scheme}://me:hunter2@host:0${path}`],
    ['with a port past the last', `${scheme}://me:hunter2@host:65536${path}`],
    ['without an @', `${scheme}://me:hunter2${path}`],
    ['with an @ in its password', `${scheme}://me:hunter2@x@host${path}`],
    ['with a / in its password', `${scheme}://me:hunter2/x@host${path}`],
    ['with a ? in its password', `${scheme}://me:1?hunter2@host${path}`],
    ['with a # in its password', `${scheme}://me:hunter2#x@host${path}`],
    ['with a % in its password', `${scheme}://me:hunter2%@host${path}`],
    ['with a fragment', url('#x')],
    ['with a parameter twice', url(`?${caFile}=a&${caFile}=b`)],
    ['with a file that is not named', url(`?${tls}&${caFile}=`)],
    ['with a file that is not there', url(`?${tls}&${caFile}=/nowhere/ca.pem`)],
    ['with a file that holds no certificate', url(`?${tls}&${caFile}=package.json`)],
  ])('a server URL is refused %s, and the error has no password', (_, text) => {
    const error = failure(() => read(text));

    expect(error).toMatchObject({ code: 'CONFIG_INVALID', retryable: false });
    expect(printed(error)).not.toContain('hunter2');
  });

  test('a server URL with an unknown parameter is refused, and the error names it and the known ones', () => {
    const error = failure(() => read(url('?cafile=x')));

    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(error)).toMatch(new RegExp(`unknown parameter cafile \\(known: .*${caFile}`));
  });

  test('a server URL may end with a line feed, as files of secrets do', () => {
    expect(read(`${url('')}\n`)).toEqual(read(url('')));
  });
});

test("a client's key that is not a valid PEM key is refused", async () => {
  const file = join(await temporaryFolder(), 'client.key');
  await writeFile(file, '-----BEGIN PRIVATE KEY-----\n');

  const error = failure(() => readPostgresUrl(`postgres://me:hunter2@h/x?sslmode=require&sslkey=${file}`));

  expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) as string });
});

test.each(['kafka://a,b/', 'kafka://a:1,a:2'])('several hosts are refused where there is one server: %s', (text) => {
  const form = { server: 'one', ports: { kafka: 9092 }, parameters: [] };

  expect(new ServerUrl(text, { ...form, hosts: 'several' }).hosts).toHaveLength(2);
  expect(failure(() => new ServerUrl(text, form))).toMatchObject({ code: 'CONFIG_INVALID' });
});

function failure(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
