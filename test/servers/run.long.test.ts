import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { startProgram } from '../support/service/program.ts';
import { startedService } from '../support/service/shared-service.ts';
import { LIMITED_USERS, roleOf } from '../support/stores/limited-users.ts';
import { deniedIn } from '../support/stores/servers-with-rights.ts';

test(
  'npm run servers says the settings for four servers that listen, as which every role starts, and takes all away on SIGTERM',
  { timeout: 240_000 },
  async () => {
    const program = startProgram(['test/servers/run.ts'], process.env);
    let told = '';
    program.child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    const settings: (string | undefined)[] = [];
    while (settings.at(-1) !== 'ready' && settings.length < 5) settings.push(await program.line());
    expect(settings.pop()).toBe('ready');
    const urls = settings.map((line = '') => new URL(line.slice(line.indexOf('=') + 1)));
    const ended = once(program.child, 'exit');

    expect(settings.map((line) => line?.split('=')[0])).toEqual([
      'EVENT_LOG_URL',
      'PROFILES_URL',
      'ANALYTICS_URL',
      'SCHEMA_REGISTRY_URL',
    ]);
    expect(await Promise.all(urls.map(listens))).toEqual([true, true, true, true]);
    expect(urls.slice(0, 3).map(({ username }) => username)).toEqual(Array.from('aaa', () => 'tidemark_admin'));
    for (const user of LIMITED_USERS) {
      const [, file = ''] = new RegExp(`(\\S+) has the settings of ${user}\n`).exec(told) ?? [];
      const service = await startedService(undefined, parseEnv(await readFile(file, 'utf8')) as never, roleOf(user));
      expect(deniedIn(service)).toEqual([]);
      if (user !== 'admin') expect(await service.stop()).toBe(0);
    }
    program.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await Promise.all(urls.map(listens))).toEqual([false, false, false, false]);
    expect(existsSync(/starts in (\S+)/.exec(told)?.[1] ?? '/')).toBe(false);
  },
);

async function listens({ hostname, port }: URL): Promise<boolean> {
  const socket = new Socket().connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
