import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { freePort } from '../servers/processes/ports.ts';
import { removeServersFolder, serversFolder } from '../servers/processes/reaped.ts';
import { ADMIN_KEY, READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { embeddedUrls } from '../support/stores/new-stores.ts';
import { connectionTarget } from './proxy-target.ts';
import { backupSettings, CLOCK_TRUST_AFTER_MS, processTarget, type Scene, type Target } from './scene.ts';
import { SlowDisk } from './disks/slow-disk.ts';
import { SmallDisk } from './disks/small-disk.ts';
import { Supervised } from './supervised.ts';

const DISK_MEBIBYTES = 3_072;

/** Everything in one process, its stores on a disk of their own where that can be. */
export async function embeddedScene(): Promise<Scene> {
  const folder = await serversFolder();
  const disk = join(folder, 'disk');
  const [slowDisk, smallDisk] = [
    await SlowDisk.make(folder),
    SmallDisk.canMount ? await SmallDisk.mount(disk, DISK_MEBIBYTES) : undefined,
  ];
  const scenes: EmbeddedInstallation[] = [];
  const sceneIn = async (name: string): Promise<Scene> => {
    const installation = await EmbeddedInstallation.make({ folder, disk, name, slowDisk, smallDisk });
    scenes.push(installation);
    return { ...installation.scene, emptied: () => sceneIn(`${name}-emptied`), close };
  };
  const close = async (): Promise<void> => {
    for (const installation of scenes) await installation.close();
    await smallDisk?.unmount();
    await removeServersFolder(folder);
  };
  return sceneIn('data');
}

interface InstallationParts {
  readonly folder: string;
  /** Where its stores are. */
  readonly disk: string;
  readonly name: string;
  readonly slowDisk: SlowDisk | undefined;
  readonly smallDisk: SmallDisk | undefined;
}

/** A data folder and the process that works on it. */
class EmbeddedInstallation {
  readonly scene: Omit<Scene, 'emptied' | 'close'>;
  readonly #service: Supervised;
  readonly #door: TcpProxy;

  private constructor(
    parts: InstallationParts,
    { service, door, environment }: { service: Supervised; door: TcpProxy; environment: Record<string, string> },
  ) {
    const { slowDisk, smallDisk } = parts;
    this.#service = service;
    this.#door = door;
    const disks = diskTargets(slowDisk, smallDisk);
    this.scene = {
      form: 'embedded',
      targets: [processTarget(service), connectionTarget('callers', door), ...disks.targets],
      doors: [new URL(door.url).origin],
      environment,
      stores: embeddedUrls(environment['DATA_DIR'] ?? ''),
      processes: [service],
      skipped: disks.skipped,
      serverDeaths: [],
      backupFolder: environment['BACKUP_DIR'] ?? '',
      heal: async () => {
        door.comeBack();
        door.thaw();
        door.delayMs = 0;
        await Promise.all([slowDisk?.heal(), smallDisk?.empty()]);
        service.setClock(0);
        service.resume();
        service.launch();
      },
    };
  }

  static async make(parts: InstallationParts): Promise<EmbeddedInstallation> {
    const [dataDir, folder] = [join(parts.disk, parts.name), join(parts.folder, parts.name)];
    for (const made of [dataDir, folder]) await mkdir(made, { mode: 0o700, recursive: true });
    const environment = {
      DATA_DIR: dataDir,
      INITIAL_WRITE_KEY: WRITE_KEY,
      INITIAL_READ_KEY: READ_KEY,
      INITIAL_ADMIN_KEY: ADMIN_KEY,
      CLOCK_TRUST_AFTER_MS,
      ...backupSettings(parts.folder),
    };
    const options = { name: 'service', role: '', port: await freePort(), folder };
    const service = new Supervised({ ...options, environment: { ...environment, ...parts.slowDisk?.environment } });
    return new EmbeddedInstallation(parts, { service, door: await TcpProxy.before(service.url), environment });
  }

  async close(): Promise<void> {
    this.#door.close();
    await this.#service.kill();
  }
}

/** Targets of a slow disk and a full disk; `skipped` names those that this machine cannot have. */
export function diskTargets(
  slowDisk: SlowDisk | undefined,
  smallDisk: SmallDisk | undefined,
  name = 'disk',
  keptKibibytes = 0,
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
    begin: (_kind, amount) => smallDisk.fill(keptKibibytes + amount),
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
