import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { readPostgresUrl } from '../../../../services/stores/database/postgres/url.ts';
import { printed } from '../../../support/service/printed.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const base = 'postgres://ada:sesame@db.example/profiles';

describe('the URL of Postgres', () => {
  test('the URL of Postgres names the server, the database and the user, and has a default for everything else', () => {
    expect(readPostgresUrl(base)).toEqual({
      host: 'db.example',
      port: 5432,
      user: 'ada',
      password: 'sesame',
      database: 'profiles',
      applicationName: 'tidemark',
      tls: false,
      poolMax: 10,
      perTransaction: false,
      connectTimeoutMs: 8_000,
      statementTimeoutMs: 30_000,
      lockTimeoutMs: 10_000,
    });
  });

  test('every part of the URL of Postgres may be percent-encoded', () => {
    const url = 'postgresql://a%40b:%2F%23%25%3F@[::1]:5433/my%20db?pool_max=3&application_name=x%20y';

    expect(readPostgresUrl(url)).toMatchObject({
      host: '::1',
      port: 5433,
      user: 'a@b',
      password: '/#%?',
      database: 'my db',
      poolMax: 3,
      applicationName: 'x y',
    });
  });

  test('the URL of Postgres may name the folder of a socket', () => {
    expect(readPostgresUrl('postgres://ada@%2Fvar%2Frun/profiles').host).toBe('/var/run');
  });

  test.each([
    ['no user', 'postgres://db.example/profiles'],
    ['no database', 'postgres://ada:sesame@db.example'],
    ['a character in the password that ends it', 'postgres://ada:sesame#@db.example/profiles'],
    ['a stray %', 'postgres://ada:sesame%@db.example/profiles'],
    ['a port out of range', 'postgres://ada:sesame@db.example:99999/profiles'],
    ['an unknown parameter', `${base}?pool_size=3`],
    ['a pool of none', `${base}?pool_max=0`],
    ['a timeout of no number', `${base}?statement_timeout_ms=soon`],
    ['a mode that falls back to plain text', `${base}?sslmode=prefer`],
    ['certificates without TLS', `${base}?sslrootcert=ca.pem`],
    ['a chain to check against nothing', `${base}?sslmode=verify-ca`],
    ['a file that is not there', `${base}?sslmode=verify-full&sslrootcert=/no/such/file`],
  ])('with %s is refused, and not shown', (_, url) => {
    const error = failure(() => readPostgresUrl(url));

    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(printed(error)).not.toContain('sesame');
  });

  test('the URL of Postgres says how far the certificate of the server is checked', async () => {
    const ca = join(await temporaryFolder(), 'ca.pem');
    const pem = rootCertificates[0]!;
    await writeFile(ca, pem);
    const tls = (parameters: string) => readPostgresUrl(`${base}?${parameters}`).tls;
    const anyName = {
      ca: pem,
      rejectUnauthorized: true,
      checkServerIdentity: expect.any(Function) as unknown,
    };

    expect(tls('sslmode=disable')).toBe(false);
    expect(tls('sslmode=require')).toEqual({ rejectUnauthorized: false });
    expect(tls(`sslmode=require&sslrootcert=${ca}`)).toEqual(anyName);
    expect(tls(`sslmode=verify-ca&sslrootcert=${ca}`)).toEqual(anyName);
    expect(tls('sslmode=verify-full')).toEqual({ rejectUnauthorized: true });
    expect(tls(`sslmode=verify-full&sslrootcert=${ca}`)).toEqual({ ca: pem, rejectUnauthorized: true });
  });
});

function failure(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
