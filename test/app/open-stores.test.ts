import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StoreOpener } from '../../services/app/open-stores.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { SERVERS_LEFT_AFTER_MS } from '../../services/runtime/watchdog/stop-times.ts';

test('a server that never answers while its store is opened does not keep a process from its end', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ending = new AbortController();
  const config = readConfig({ ANALYTICS_URL: `http://user:secret@127.0.0.1:${port}/events` });
  const opener = new StoreOpener(config, pino({ enabled: false }), ending.signal);
  const outcome = opener.analytics(new Promise(() => undefined)).catch((error: unknown) => error);
  const [socket] = (await once(server, 'connection')) as [{ destroy(): void }];
  onTestFinished(() => socket.destroy());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());

  ending.abort();
  vi.advanceTimersByTime(SERVERS_LEFT_AFTER_MS);

  await expect(outcome).resolves.toMatchObject({ code: 'STOPPING' });
});
