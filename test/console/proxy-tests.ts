import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Nginx, startNginx } from '../servers/fronts/nginx.ts';
import { removeServersFolder, serversFolder } from '../servers/processes/reaped.ts';
import { findProgram } from '../servers/fronts/programs.ts';
import { ADMIN_KEY, complaintsOf, type Scene, signIn } from './scene.ts';

const nginxFile = findProgram('nginx');

export function testProxy(scene: () => Scene): void {
  describe.skipIf(nginxFile === undefined)('below a path of nginx', () => {
    let folder: string;
    let nginx: Nginx;
    beforeAll(async () => {
      folder = await serversFolder();
      nginx = await startNginx(nginxFile!, join(folder, 'nginx'), scene().url);
    });
    afterAll(async () => {
      await nginx?.stop();
      await removeServersFolder(folder);
    });

    test('the console asks for nothing outside of the path, and its cookie is for the path alone', async () => {
      const page = await scene().newPage(nginx.url);
      await signIn(page, ADMIN_KEY);
      const [cookie] = await page.context().cookies();

      for (const address of ['#/users', '#/live', '#/audiences', '#/']) {
        await page.goto(`${nginx.url}/console/${address}`);
        await page.reload();
        await page.getByRole('navigation').first().waitFor();
      }

      expect(cookie?.path).toBe('/tidemark/');
      expect(complaintsOf(page)).toEqual([]);
    });

    test('the API answers there, with the key in any of its headers; health and metrics do not', async () => {
      const withKey = { headers: { api_key: ADMIN_KEY } };

      const statuses = ['/v1/admin/projects', '/healthz', '/metrics'].map(
        async (path) => (await fetch(nginx.url + path, withKey)).status,
      );

      expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
    });

    test('a sign-out ends the session that was opened there', async () => {
      const page = await scene().newPage(nginx.url);
      await signIn(page, ADMIN_KEY);

      const status = await page.evaluate(async () => {
        const headers = { 'tidemark-console': '1' };
        return (await fetch('../console/session', { method: 'DELETE', headers })).status;
      });

      expect(status).toBe(204);
      expect(await page.context().cookies()).toEqual([]);
    });
  });
}
