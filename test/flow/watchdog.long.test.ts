import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRELOAD = join(import.meta.dirname, '../support/programs/hang-preload.ts');

const THREADS = ['main', 'http', 'writer'] as const;
type Thread = (typeof THREADS)[number];

const LINES: Readonly<Record<Thread, RegExp>> = {
  main: /^tidemark: the main thread has not answered for \d+ s/,
  http: /^tidemark: the HTTP thread has not answered for \d+ s/,
  writer: /^tidemark: the thread that writes the event log has not answered for \d+ s/,
};

interface Scene {
  readonly service: ServiceProcess;
  /** From now on that thread computes without end. */
  readonly hang: () => Promise<void>;
}

async function startWith(thread: Thread): Promise<Scene> {
  const folder = await temporaryFolder();
  const file = join(folder, 'hang');
  const settings = { NODE_OPTIONS: `--import=${PRELOAD}`, HANG_THREAD: thread, HANG_FILE: file };
  const service = await startedService(join(folder, 'data'), settings);
  const hang = async (): Promise<void> => {
    await writeFile(file, '');
    await expect.poll(() => existsSync(`${file}.begun`)).toBe(true);
  };
  return { service, hang };
}

function isGone({ pid }: ServiceProcess): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe('a thread that no longer answers', () => {
  test(
    'a thread that no longer answers ends the process, with a line that names it',
    { timeout: 240_000 },
    async () => {
      const scenes = await Promise.all(THREADS.map((thread) => startWith(thread)));

      await Promise.all(scenes.map(({ hang }) => hang()));

      for (const [index, { service }] of scenes.entries()) {
        await expect.poll(() => isGone(service), { timeout: 120_000 }).toBe(true);
        await expect.poll(() => service.output.at(-1)).toMatch(LINES[THREADS[index] as Thread]);
        // By the signal that it sends itself.
        expect(await service.stop()).toBeNull();
      }
    },
  );

  test(
    'a thread that no longer answers does not keep SIGTERM from ending the process',
    { timeout: 240_000 },
    async () => {
      const scenes = await Promise.all(THREADS.map((thread) => startWith(thread)));
      await Promise.all(scenes.map(({ hang }) => hang()));
      const requests = scenes.map(({ service }) =>
        service.request('/v1/track', { user_id: 'u', event: 'Tried' }).catch(() => undefined),
      );

      await Promise.all(scenes.map(({ service }) => service.stop('SIGTERM')));
      await Promise.all(requests);

      for (const { service } of scenes) {
        await expect.poll(() => service.output.join('\n')).toMatch(/not answered for|not stopped within/);
      }
    },
  );
});
