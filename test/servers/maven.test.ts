import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { mavenFiles } from './maven.ts';

test('a pinned file is downloaded once and kept', async () => {
  const repository = await startRepository('the jar');
  const list = await pin('the jar');

  const [first] = await mavenFiles(list);
  const [second] = await mavenFiles(list);

  expect(await readFile(first!, 'utf8')).toBe('the jar');
  expect(second).toBe(first);
  expect(repository.asked).toEqual(['/org/x.jar']);
});

test('a file that is not the pinned one is refused and not kept', async () => {
  await startRepository('another jar');
  const list = await pin('the jar');

  await expect(mavenFiles(list)).rejects.toThrow('not the pinned file');

  const kept = await readdir(join(process.env['XDG_CACHE_HOME']!, 'tidemark/maven/org'));
  expect(kept).toEqual([]);
});

test('a file of the cache that was damaged since is downloaded again', async () => {
  const repository = await startRepository('the jar');
  const list = await pin('the jar');
  const [path] = await mavenFiles(list);

  await writeFile(path!, 'the j');

  expect(await mavenFiles(list)).toEqual([path]);
  expect(await readFile(path!, 'utf8')).toBe('the jar');
  expect(repository.asked).toHaveLength(2);
});

/** Serves `content` under every path, and has the cache in a folder of this test. */
async function startRepository(content: string): Promise<{ readonly asked: readonly (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('MAVEN_REPOSITORY_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('XDG_CACHE_HOME', await temporaryFolder());
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.close();
    server.closeAllConnections();
  });
  return { asked };
}

async function pin(content: string): Promise<string> {
  const list = join(await temporaryFolder(), 'list.sha256');
  await writeFile(list, `${createHash('sha256').update(content).digest('hex')}  org/x.jar\n`);
  return list;
}
