/**
 * Another version beside this one, on the same servers under load: roles are replaced one by one, there and back.
 * `MIXED_WITH=REF` names a commit of a version that this one's migrations are compatible with; nothing runs without it.
 */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceLoad } from '../service-load.ts';
import { canRunOnServers, type OnServers, onServers } from '../../support/service/server-settings.ts';
import { ADMIN_KEY, ServiceProcess } from '../../support/service/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OTHER_VERSION = process.env['MIXED_WITH'];
const CHECKOUT = join(import.meta.dirname, '../../..');
const REPLACED_IN_TURN = ['projector', 'sink', 'ingest'] as const;
/** All roles are of one version, for the jobs of a schedule. */
const ALONE_MS = 5_000;

type ReplacedRole = (typeof REPLACED_IN_TURN)[number];
type Starter = typeof ServiceProcess;

const canRun = OTHER_VERSION !== undefined && (await canRunOnServers());

describe.skipIf(!canRun)('two versions on the same servers', () => {
  let servers: OnServers;
  const running = new Map<ReplacedRole, ServiceProcess>();

  beforeAll(async () => {
    servers = (await onServers()) as OnServers;
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((service) => service.stop('SIGKILL')));
    await servers?.drop();
  });

  /** In a folder of its own, with the packages of this one. */
  async function otherVersion(): Promise<Starter> {
    const folder = join(await temporaryFolder(), 'other');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: CHECKOUT, stdio: 'ignore' });
    git('clone', '--shared', '--no-checkout', CHECKOUT, folder);
    git('-C', folder, 'checkout', OTHER_VERSION!);
    symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
    const found = (await import(join(folder, 'test/support/service/service.ts'))) as { ServiceProcess: Starter };
    return found.ServiceProcess;
  }

  /** The new process is there before the old one goes. */
  async function replace(role: ReplacedRole, by: Starter): Promise<void> {
    const before = running.get(role);
    const settings = { ...servers.settings, INITIAL_ADMIN_KEY: ADMIN_KEY };
    running.set(role, await by.start(await temporaryFolder(), settings, role));
    if (before !== undefined) expect(await before.stop()).toBe(0);
  }

  test(
    'roles are replaced one by one, there and back, and nothing is lost or refused',
    { timeout: 600_000 },
    async () => {
      const Other = await otherVersion();
      for (const role of REPLACED_IN_TURN.toReversed()) await replace(role, Other);
      const posts = await ServiceLoad.start({ environment: servers.settings, doors: () => [running.get('ingest')!] });
      await posts.passedSince(0);

      for (const version of [ServiceProcess, Other, ServiceProcess]) {
        for (const role of REPLACED_IN_TURN) {
          await replace(role, version);
          await posts.passedSince(performance.now());
        }
        await pause(ALONE_MS);
      }
      await posts.stop();
      const headers = { api_key: ADMIN_KEY };
      const letters = await fetch(`${running.get('ingest')!.url}/v1/admin/dead-letters`, { headers });

      expect(await posts.wrongIn(servers.settings)).toEqual({});
      expect(await letters.json()).toMatchObject({ dead_letters: [] });
      process.stdout.write(`answers of ${posts.answered} messages: ${JSON.stringify([...posts.load.answers])}\n`);
    },
  );
});
