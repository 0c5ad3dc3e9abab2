import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { consoleFileRoutes } from '../../services/api/console/console-files.ts';
import type { Route } from '../../services/http/route.ts';
import { HttpServer } from '../../services/http/server.ts';
import { answersWhileStarting } from '../../services/http/starting.ts';
import { createLogger } from '../../services/runtime/logger.ts';

async function starting(pages: readonly Route[] = []): Promise<{ server: HttpServer; url: string }> {
  const answering = answersWhileStarting(createLogger('silent', new Writable()), '/legacy', ['eventLog'], pages);
  const server = new HttpServer(answering);
  const { port } = await server.listen('127.0.0.1', 0);
  onTestFinished(() => server.close(0));
  return { server, url: `http://127.0.0.1:${port}` };
}

test('a process that starts is up, not ready, and asks for whatever else to be sent again', async () => {
  const { url } = await starting();
  const asked = async (path: string, method = 'GET') => {
    const body = method === 'GET' ? null : '{}';
    const answer = await fetch(url + path, { method, body });
    return [answer.status, answer.headers.get('retry-after'), await answer.json()];
  };

  expect(await asked('/healthz')).toEqual([200, null, { status: 'up' }]);
  expect(await asked('/readyz')).toEqual([503, '1', { ready: false, parts: { eventLog: 'starting' } }]);
  expect(await asked('/v1/track', 'POST')).toEqual([503, '1', expect.objectContaining({ status: 503 })]);
  expect(await asked('/legacy/add-event', 'POST')).toEqual([503, '1', expect.objectContaining({ success: 503 })]);
});

test('a page that needs no store is there from the first moment', async () => {
  const { url } = await starting(consoleFileRoutes());

  expect([(await fetch(`${url}/console/`)).status, (await fetch(`${url}/console/session`)).status]).toEqual([200, 503]);
});

test('what answers can be changed while it listens', async () => {
  const { server, url } = await starting();
  await fetch(url);

  server.answerBy({ listener: (_, res) => res.end('another'), styleOf: () => 'problem' });

  expect(await (await fetch(url)).text()).toBe('another');
});
