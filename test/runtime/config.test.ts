import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, SETTING_NAMES, visibleSettings } from '../../services/runtime/config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the empty environment is a working configuration', () => {
  const config = readConfig({});

  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, legacyBasePath: '/legacy', initialTimezone: 'UTC' });
  expect(config.eventLogUrl).toBe(`log:${config.dataDir}/event-log`);
  expect(Object.isFrozen(config)).toBe(true);
});

test('the embedded stores follow DATA_DIR', () => {
  const config = readConfig({ DATA_DIR: '/srv/tidemark' });

  expect([config.profilesUrl, config.analyticsUrl]).toEqual([
    'pglite:/srv/tidemark/profiles',
    'chdb:/srv/tidemark/analytics',
  ]);
});

test('a setting that is empty has its default', () => {
  expect(readConfig({ PORT: '', INITIAL_WRITE_KEY: '' })).toMatchObject({ port: 8080, initialWriteKey: undefined });
});

test('one error names every wrong setting', () => {
  const read = () => readConfig({ PORT: '70000', INITIAL_TIMEZONE: 'Mars/Olympus', LOG_LEVEL: 'loud' });

  expect(read).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  for (const name of ['PORT', 'INITIAL_TIMEZONE', 'LOG_LEVEL']) expect(read).toThrow(name);
});

test.each([
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['EVENT_LOG_URL', 'ftp://somewhere'],
  ['LEGACY_BASE_PATH', 'legacy'],
  ['LEGACY_BASE_PATH', '/v1/legacy'],
  ['INITIAL_WRITE_KEY', 'too-short'],
  ['REPEAT_WINDOW', '30'],
  ['EVENT_LOG_PARTITIONS', '0'],
  ['QUERY_MAX_MS', 'soon'],
])('%s is refused where it is %s', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test('the value of a secret setting is not in the error', () => {
  const read = () => readConfig({ INITIAL_READ_KEY: 'hunter2' });

  expect(read).toThrow('INITIAL_READ_KEY');
  expect(read).not.toThrow('hunter2');
});

test('the URL of a log of version 0.2 is refused with the version to start once', () => {
  expect(() => readConfig({ EVENT_LOG_URL: 'lmdb:/srv/log' })).toThrow(
    'start version 0.3.0 once with log: in place of lmdb:',
  );
});

test('a secret may stand in a file, with a line end after it', async () => {
  const file = join(await temporaryFolder(), 'profiles-url');
  await writeFile(file, 'postgres://shop:hunter2@db/tidemark\n');

  expect(readConfig({ PROFILES_URL_FILE: file }).profilesUrl).toBe('postgres://shop:hunter2@db/tidemark');
});

test.each([
  [
    { INITIAL_READ_KEY_FILE: '/absent' },
    'INITIAL_READ_KEY_FILE: the value given is in a file that cannot be read (ENOENT)',
  ],
  [{ PROFILES_URL_FILE: '/dev/null' }, 'PROFILES_URL_FILE: the value given is in a file that is empty'],
  [{ INITIAL_READ_KEY: 'k'.repeat(32), INITIAL_READ_KEY_FILE: import.meta.filename }, 'stands twice'],
  [{ INITIAL_READ_KEY_FILE: import.meta.filename }, 'INITIAL_READ_KEY_FILE: the value given'],
])('a file of a secret that cannot be used (%o) is a problem of its own', (env, problem) => {
  expect(() => readConfig(env)).toThrow(problem);
});

test('a setting that is no secret is not read from a file', () => {
  expect(readConfig({ HOST_FILE: '/absent' }).host).toBe('127.0.0.1');
});

test.each([
  ['', ''],
  ['kafka://admin:p%40ss@one:9092,two:9092?sasl=plain', 'kafka://…one:9092,two:9092?sasl=plain'],
  ['kafka://[::1]:9092', 'kafka://…[::1]:9092'],
  ['log:/srv/secret@log', 'log:/srv/secret@log'],
  // What no service takes may be a password.
  ['kafka://admin:p@ss/w0rd@one', 'kafka://…one'],
  ['kafka://admin:p@ss word', '…'],
  ['kafka://admin:12/x@two words', '…'],
  ['kafka://admin:password', '…'],
  ['kafka://one?client_id=a@b', 'kafka://…b'],
])('others see of the URL "%s" as much as "%s"', (url, visible) => {
  const { EVENT_LOG_URL } = visibleSettings({ ...readConfig({}), eventLogUrl: url });
  expect(EVENT_LOG_URL).toBe(visible);
});

test('others see every setting by its name, and of a key that there is one', () => {
  const key = `log:./${'k'.repeat(32)}`;
  const visible = visibleSettings(
    readConfig({ METRICS_KEY: key, CORS_ORIGINS: 'https://a.example,https://b.example' }),
  );

  expect(Object.keys(visible)).toEqual(SETTING_NAMES);
  expect(visible).toMatchObject({ PORT: '8080', METRICS_KEY: '…', INITIAL_ADMIN_KEY: '', KEEP_EVENTS: '' });
  expect(visible['CORS_ORIGINS']).toBe('https://a.example,https://b.example');
});
