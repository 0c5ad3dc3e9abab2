import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { freePort } from '../servers/processes/ports.ts';
import { removeServersFolder, serversFolder } from '../servers/processes/reaped.ts';
import { ADMIN_KEY, READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { embeddedUrls } from '../support/stores/new-stores.ts';
import { connectionTarget } from './proxy-target.ts';
import { CLOCK_TRUST_AFTER_MS, processTarget, type Scene, type Target } from './scene.ts';
import { SlowDisk } from './disks/slow-disk.ts';
import { SmallDisk } from './disks/small-disk.ts';
import { Supervised } from './supervised.ts';

const DISK_MEBIBYTES = 3_072;

/** Everything in one process, its stores on a disk of their own where that can be. */
export async function embeddedScene(): Promise<Scene> {
  const folder = await serversFolder();
  const dataDir = join(folder, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const [slowDisk, smallDisk] = [
    await SlowDisk.make(folder),
    SmallDisk.canMount ? await SmallDisk.mount(dataDir, DISK_MEBIBYTES) : undefined,
  ];
  // The root of the disk is open to all, which the service refuses.
  await chmod(dataDir, 0o700);
  const environment = {
    DATA_DIR: dataDir,
    INITIAL_WRITE_KEY: WRITE_KEY,
    INITIAL_READ_KEY: READ_KEY,
    INITIAL_ADMIN_KEY: ADMIN_KEY,
    CLOCK_TRUST_AFTER_MS,
  };
  const options = { name: 'service', role: '', port: await freePort(), folder };
  const service = new Supervised({ ...options, environment: { ...environment, ...slowDisk?.environment } });
  const door = await TcpProxy.before(service.url);
  const disks = diskTargets(slowDisk, smallDisk);
  return {
    form: 'embedded',
    targets: [processTarget(service), connectionTarget('callers', door), ...disks.targets],
    doors: [new URL(door.url).origin],
    environment,
    stores: embeddedUrls(dataDir),
    processes: [service],
    skipped: disks.skipped,
    serverDeaths: [],
    heal: async () => {
      door.comeBack();
      door.thaw();
      door.delayMs = 0;
      await Promise.all([slowDisk?.heal(), smallDisk?.empty()]);
      service.setClock(0);
      service.resume();
      service.launch();
    },
    close: async () => {
      door.close();
      await service.kill();
      await smallDisk?.unmount();
      await removeServersFolder(folder);
    },
  };
}

/** Targets of a slow disk and a full disk; `skipped` names those that this machine cannot have. */
export function diskTargets(
  slowDisk: SlowDisk | undefined,
  smallDisk: SmallDisk | undefined,
  name = 'disk',
): { readonly targets: readonly Target[]; readonly skipped: readonly string[] } {
  const slow: Target | undefined = slowDisk && {
    name,
    kinds: ['disk slow'],
    begin: (_kind, amount) => slowDisk.slow(amount),
    end: () => slowDisk.heal(),
  };
  const full: Target | undefined = smallDisk && {
    name: `${name} space`,
    kinds: ['disk full'],
    begin: (_kind, amount) => smallDisk.fill(amount),
    end: () => smallDisk.empty(),
  };
  return {
    targets: [slow, full].filter((target) => target !== undefined),
    skipped: [
      ...(slow ? [] : ['slow disks (they need Linux and a C compiler)']),
      ...(full ? [] : ['full disks (they need Linux and root)']),
    ],
  };
}
