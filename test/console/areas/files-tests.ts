import { globSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { consoleFileRoutes } from '../../../services/api/console/console-files.ts';
import type { Call } from '../../../services/http/call.ts';
import type { Answer } from '../../../services/http/route.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Scene } from '../scene.ts';

const DIST = new URL('../../../console/dist/', import.meta.url);
const KB = 1_024;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}

const manifest = (): Record<string, Chunk> =>
  JSON.parse(readFileSync(new URL('manifest.json', DIST), 'utf8')) as Record<string, Chunk>;

/** Bytes of the file as it goes out, compressed with gzip. */
function gzipBytes(file: string): number {
  return readFileSync(new URL(`${file}.gz`, DIST)).length;
}

/** The files that must be there before these entries of the manifest run. */
function filesOf(names: readonly string[], chunks: Record<string, Chunk>, found = new Set<string>()): Set<string> {
  for (const chunk of names.flatMap((name) => chunks[name] ?? [])) {
    if (found.has(chunk.file)) continue;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
    filesOf(chunk.imports ?? [], chunks, found);
  }
  return found;
}

export function testFiles(scene: () => Scene): void {
  describe('files', () => {
    test('the page is asked for anew each time and its files never, under a policy without exceptions', async () => {
      const page = await fetch(`${scene().url}/console/`);
      const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? '';
      const file = await fetch(`${scene().url}/console/${script}`, { headers: { 'accept-encoding': 'gzip' } });

      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
      expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|data:|\*/);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('content-encoding')).toBe('gzip');
      expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    });

    test('every file that is compressed is what it is compressed of', () => {
      const names = globSync('assets/*.gz', { cwd: DIST });

      expect(names.length).toBeGreaterThan(5);
      for (const name of names) {
        const plain = readFileSync(new URL(name.replace(/\.gz$/, ''), DIST));
        expect(gunzipSync(readFileSync(new URL(name, DIST))).equals(plain), name).toBe(true);
      }
    });

    test('the address without the slash leads to the one with it, and a file that is not there is 404', async () => {
      const bare = await fetch(`${scene().url}/console`, { redirect: 'manual' });

      expect([bare.status, bare.headers.get('location')]).toEqual([308, 'console/']);
      expect((await fetch(`${scene().url}/console/assets/index.html`)).status).toBe(404);
      expect((await fetch(`${scene().url}/console/assets/..%2findex.html`)).status).toBe(404);
    });

    test('the first screen takes at most 50 KB compressed, all of them together 165', () => {
      const chunks = manifest();
      const first = filesOf(['index.html', 'src/screens/today/screen.tsx'], chunks);
      const all = filesOf(Object.keys(chunks), chunks);
      const sum = (files: Iterable<string>): number => [...files].reduce((bytes, file) => bytes + gzipBytes(file), 0);

      expect(first.size).toBeGreaterThan(2);
      expect(sum(first)).toBeLessThan(50 * KB);
      expect(sum(all)).toBeLessThan(165 * KB);
    });

    test('without a build there is one page, which says how to make it', async () => {
      const routes = consoleFileRoutes(await temporaryFolder());
      const page = routes.find(({ path }) => path === '/console/');

      const answer = (await page?.handle({ headers: {} } as Call)) as Answer | undefined;

      expect(answer?.status).toBe(200);
      expect(answer?.body).toContain('npm ci &amp;&amp; npm run console');
    });

    test('CONSOLE=off removes the pages and the sessions, and a cookie counts for nothing', async () => {
      const service = await startedService(undefined, { CONSOLE: 'off' });

      expect((await fetch(`${service.url}/console/`)).status).toBe(404);
      expect((await fetch(`${service.url}/console/session`)).status).toBe(404);
      expect(await (await fetch(service.url)).text()).not.toContain('console');
    });
  });
}
