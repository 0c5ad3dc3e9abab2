import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newStores } from '../support/stores/new-stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Keeper } from './keeper.ts';
import { askKeeper, KEEPER_VARIABLE } from './ask-keeper.ts';
import { serverUrl } from './server.ts';

test('a server that the environment names is used, and none started', async () => {
  await startKeeper();
  vi.stubEnv('TEST_POSTGRES_URL', 'postgres://u:p@db.example/x');

  expect(await serverUrl('postgres')).toBe('postgres://u:p@db.example/x');
});

test('all who ask for a server get the same one', async () => {
  await startKeeper();

  const [first, second] = await Promise.all([serverUrl('clickhouse'), serverUrl('clickhouse')]);

  expect(first).toMatch(/^http:\/\/tidemark:/);
  expect(second).toBe(first);
});

test('a server that cannot be had is undefined, unless servers are required', async () => {
  await startKeeper();
  vi.stubEnv('JAVA_HOME', '/nowhere');

  vi.stubEnv('REQUIRE_SERVERS', '0');
  expect(await serverUrl('registry')).toBeUndefined();
  vi.stubEnv('REQUIRE_SERVERS', '1');
  await expect(serverUrl('registry')).rejects.toThrow('registry');
});

test('a run makes the stores for copies once, a copy leads to nothing outside of it, and the run removes them at its end', async () => {
  const keeper = await startKeeper();

  const [first, second] = await Promise.all([askKeeper('stores'), askKeeper('stores')]);

  expect(first).toMatchObject({ status: 200 });
  expect(second).toEqual(first);
  expect(await readdir(first.text)).toEqual(['analytics', 'empty.tar', 'migrated.tar', 'profiles']);
  const copy = await realpath(await temporaryFolder());
  await newStores(copy);
  const names = await readdir(copy, { recursive: true });
  const paths = await Promise.all(names.map((name) => realpath(join(copy, name))));
  expect(names).toContain('analytics/store/metadata/default');
  expect(paths.filter((path) => !path.startsWith(copy))).toEqual([]);
  await keeper.stop();
  expect(existsSync(first.text)).toBe(false);
});

async function startKeeper(): Promise<Keeper> {
  const keeper = new Keeper();
  for (const name of ['POSTGRES', 'CLICKHOUSE', 'REGISTRY']) vi.stubEnv(`TEST_${name}_URL`, '');
  vi.stubEnv(KEEPER_VARIABLE, await keeper.listen());
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await keeper.stop();
  });
  return keeper;
}
