import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { type OnServers, onServers } from './server-settings.ts';
import { ServiceProcess } from './service.ts';

/**
 * One service with embedded stores for the tests of a file or `describe`. It is there before their own `beforeAll`.
 *
 * @param settings Its settings, by its data folder.
 */
export function sharedService(
  settings: (dataDir: string) => Record<string, string> = () => ({}),
): () => ServiceProcess {
  let service: ServiceProcess | undefined;
  let folder: string | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    service = await ServiceProcess.start(folder, settings(folder));
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (!service) throw new Error('not started yet');
    return service;
  };
}

/** An installation on servers for the tests of a file or `describe`. */
export function sharedServers(): () => OnServers {
  return sharedBy(onServers);
}

/** What is made before the tests of a file or `describe`, and dropped after them. */
export function sharedBy<T extends Pick<OnServers, 'drop'>>(make: () => Promise<T | undefined>): () => T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(() => made?.drop());
  return () => {
    if (made === undefined) throw new Error('skip these tests where there are no servers');
    return made;
  };
}

type Rest = [settings?: Record<string, string>, role?: string, before?: string];

/** As `ServiceProcess.start`, in a folder of its own unless told. It is killed when the test ends. */
export async function startedService(dataDir?: string, ...rest: Rest): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir ?? (await temporaryFolder()), ...rest);
  onTestFinished(async () => void (await service.stop('SIGKILL')));
  return service;
}
