import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
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

test('a cluster for copies is made once, and gone with the run', async () => {
  const keeper = await startKeeper();

  const [first, second] = await Promise.all([askKeeper('pglite'), askKeeper('pglite')]);

  expect(first).toMatchObject({ status: 200 });
  expect(second).toEqual(first);
  expect(await readdir(first.text)).toEqual(['cluster', 'cluster.tar']);
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
