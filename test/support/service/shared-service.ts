import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
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
