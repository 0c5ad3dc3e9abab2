/** Replay as an operator does it: by the command line, beside a service that is used; both are killed meanwhile. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { BuiltGeneration, GenerationSummary } from '../../services/operations/replay/replay-commands.ts';
import { runProgram, startProgram } from '../support/service/program.ts';
import { canRunOnServers, onServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { embeddedUrls } from '../support/stores/new-stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ServiceLoad } from '../faults/service-load.ts';

const canRun = await canRunOnServers();
const KINDS = ['profiles', 'analytics'] as const;

// Some two hundred messages a second.
const PAUSE_MS = 200;

async function expectReplay(settings: Record<string, string>): Promise<void> {
  const env = { DATA_DIR: await temporaryFolder(), ...settings };
  const stores = { ...embeddedUrls(env.DATA_DIR), ...settings };
  const program = (...args: string[]) => ['services/cli/tidemark.ts', 'replay', ...args, '--json'];
  const tidemark = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await runProgram(program(...args), env);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as T;
  };
  const status = async () => (await tidemark<{ generations: readonly GenerationSummary[] }>('status')).generations;
  /** Resolves with what the generation under construction has read, once that is something; it is not all. */
  const hasRead = async (): Promise<number> => {
    for (;;) {
      const building = (await status()).find(({ state }) => state === 'building');
      if (building === undefined || building.messages === 0) continue;
      expect(building.behind).toBeGreaterThan(0);
      return building.messages;
    }
  };
  // So slow that it does not come to its end.
  const slowly = program('profiles', '--rate', '20');
  let service = await ServiceProcess.start(env.DATA_DIR, settings);
  try {
    const posts = await ServiceLoad.start({ environment: env, doors: () => [service], pauseMs: PAUSE_MS });
    await posts.passedSince(0);
    const killed = startProgram(slowly, env);
    const before = await hasRead();
    await killed.kill();

    const orphaned = startProgram(slowly, env).child;
    const ended = once(orphaned, 'close');
    // It says how far it is, so it was taken on; what has been read tells nothing, the service reads on by itself.
    await once(orphaned.stderr, 'data');
    expect(await hasRead()).toBeGreaterThanOrEqual(before);
    await service.stop('SIGKILL');
    service = await ServiceProcess.start(env.DATA_DIR, settings);

    for (const kind of KINDS) {
      expect(await tidemark<BuiltGeneration>(kind, '--yes', '--rate', '1000000')).toMatchObject({
        kind,
        number: 2,
        same: true,
        swapped: true,
      });
    }
    // Where the service carried it out it ended with it; on servers it reads on by itself.
    expect(await ended).toEqual([settings['PROFILES_URL'] === undefined ? 1 : 0, null]);
    expect((await status()).filter(({ state }) => state === 'live').map(({ number }) => number)).toEqual([2, 2]);

    await service.stop('SIGTERM');
    service = await ServiceProcess.start(env.DATA_DIR, settings);
    await posts.stop();
    await service.stop('SIGTERM');
    expect(await posts.wrongIn(stores)).toEqual({});

    service = await ServiceProcess.start(env.DATA_DIR, settings);
    for (const kind of KINDS) await tidemark('rollback', kind);
    for (const kind of KINDS) await tidemark('drop', kind, '2');
    await posts.caughtUp();
    await service.stop('SIGTERM');
    expect(await posts.wrongIn(stores)).toEqual({});
  } finally {
    await service.stop('SIGKILL');
  }
}

describe('replay beside a service that is used: both are killed, and the same command again finishes', () => {
  test('a replay on embedded stores survives kills of the service and of itself', { timeout: 600_000 }, async () => {
    await expectReplay({});
  });

  test.skipIf(!canRun)(
    'a replay on servers survives kills of the service and of itself',
    { timeout: 600_000 },
    async () => {
      const servers = await onServers();
      if (servers === undefined) throw new Error('no servers');
      try {
        await expectReplay(servers.settings);
      } finally {
        await servers.drop();
      }
    },
  );
});
