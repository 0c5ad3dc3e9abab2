/** `tidemark migrate`, and starts with `MIGRATE=off`, which only look. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OpenedStores, StoreOpener } from '../../services/app/open-stores.ts';
import { readConfig } from '../../services/runtime/config.ts';
import type { Logger } from '../../services/runtime/logger.ts';
import { migrateDatabase } from '../../services/stores/database/migrate.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { type Finished, runProgram } from '../support/service/program.ts';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { sharedServers } from '../support/service/shared-service.ts';
import { migrationsUpTo } from '../support/stores/older-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Settings = Readonly<Record<string, string>>;

const LAST_OF_0_3 = 39;
const ALL_THERE = 'The event log, profiles and analytics are of this version.\n';

function migrate(settings: Settings, ...options: readonly string[]): Promise<Finished> {
  return runProgram(['services/cli/tidemark.ts', 'migrate', ...options], settings);
}

/** It migrates nothing by itself, whatever else it does. */
async function expectStarts(folder: string, settings: Settings): Promise<void> {
  const service = await ServiceProcess.start(folder, { ...settings, MIGRATE: 'off' });
  expect(await service.stop()).toBe(0);
}

describe('on embedded stores', { timeout: 120_000 }, () => {
  async function ownFolder(): Promise<{ readonly folder: string; readonly settings: Settings }> {
    const folder = await temporaryFolder();
    const urls = {
      PROFILES_URL: `pglite:${join(folder, 'profiles')}`,
      ANALYTICS_URL: `chdb:${join(folder, 'events')}`,
    };
    return { folder, settings: { DATA_DIR: folder, ...urls } };
  }

  test('a start that must not migrate ends, and names the command after which it starts', async () => {
    const { folder, settings } = await ownFolder();

    const starting = ServiceProcess.start(folder, { ...settings, MIGRATE: 'off' });
    await expect(starting).rejects.toThrow(/ended with 1:[^]*STORE_OLDER[^]*run `tidemark migrate`/);
    const first = await migrate({ ...settings, MIGRATE: 'off' });
    const second = await migrate(settings);

    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^profiles: 001-projects\.sql\n[^]*\nanalytics: 0\d\d-[^]*\.sql\n/);
    expect(second).toEqual({ code: 0, stdout: ALL_THERE, stderr: '' });
    await expectStarts(folder, settings);
  });

  test('while a service has the stores open, migrating changes nothing and says so', async () => {
    const { folder, settings } = await ownFolder();
    const service = await ServiceProcess.start(folder, settings);
    onTestFinished(async () => void (await service.stop()));

    const { code, stderr } = await migrate(settings);

    expect([code, stderr]).toEqual([1, expect.stringContaining('(FOLDER_IN_USE)')]);
  });

  test('a command that opens an older store by itself is refused in one line', async () => {
    const { settings } = await ownFolder();
    await migrate(settings);
    const database = await openDatabase(settings['PROFILES_URL'] ?? '');
    await database.query('delete from migrations where number = (select max(number) from migrations)');
    await database.close();

    const env = { ...settings, MIGRATE: 'off' };
    const { code, stderr } = await runProgram(['services/cli/tidemark.ts', 'project', 'list'], env);

    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: [^\n]*tidemark migrate[^\n]*\(STORE_OLDER\)\n$/),
    ]);
  });
});

describe.skipIf(!(await canRunOnServers()))('on servers', { timeout: 120_000 }, () => {
  const servers = sharedServers();

  /** Opens a store as a start with `MIGRATE=off`; `waits` resolves with why it cannot, once it waits. */
  function opening(settings: Settings, open: (opener: StoreOpener) => Promise<OpenedStores[keyof OpenedStores]>) {
    const { promise: waits, resolve } = Promise.withResolvers<unknown>();
    const logger = { warn: ({ err }: { err: unknown }) => resolve(err), info: () => undefined } as unknown as Logger;
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const opener = new StoreOpener(readConfig({ ...settings, MIGRATE: 'off' }), logger, ending.signal);
    return { waits, opened: open(opener) };
  }

  test('every store is waited for until it is migrated', async () => {
    const older = await openDatabase(servers().settings.PROFILES_URL);
    onTestFinished(() => older.close());
    await migrateDatabase(older, await migrationsUpTo(LAST_OF_0_3));
    const starts = [
      opening(servers().settings, (opener) => opener.log()),
      opening(servers().settings, (opener) => opener.database()),
      opening(servers().settings, (opener) => opener.analytics(Promise.resolve(older))),
    ];

    for (const { waits } of starts)
      expect(await waits).toMatchObject({ code: 'STORE_OLDER', message: expect.stringContaining('tidemark migrate') });
    const { code, stdout } = await migrate(servers().settings);
    for (const { opened } of starts) {
      const store = await opened;
      if ('close' in store) await store.close();
    }

    expect(code).toBe(0);
    expect(stdout).toMatch(/^profiles: 040-[^]*event log: the topic \w+\.tidemark\.track\n[^]*analytics: 001-/m);
    expect(stdout).toContain('tidemark.audience-change\n');
    expect(stdout).not.toContain('039-');
    expect((await migrate(servers().settings, '--json')).stdout).toBe(
      '{\n  "log": [],\n  "database": [],\n  "analytics": []\n}\n',
    );
    await expectStarts(await temporaryFolder(), servers().settings);
  });

  test('a ClickHouse without the database is waited for', async () => {
    const url = `${servers().settings.ANALYTICS_URL}_absent`;

    const { waits, opened } = opening({ ...servers().settings, ANALYTICS_URL: url }, (opener) =>
      opener.analytics(new Promise<never>(() => undefined)),
    );
    opened.catch(() => undefined);

    expect(await waits).toMatchObject({ code: 'STORE_OLDER', message: expect.stringContaining('_absent') });
  });
});
