import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * The server's URL by way of a proxy that passes on what `rewrite` makes of each piece of its answers; nothing where that
 * is undefined. Gone when the test ends.
 */
export async function rewritingProxy(
  url: string,
  rewrite: (answer: Buffer) => Uint8Array | undefined,
): Promise<string> {
  const target = new URL(url);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    sockets.push(client, upstream);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream);
    upstream.on('close', () => client.destroy());
    upstream.on('data', (answer) => {
      const passed = rewrite(answer);
      if (passed) client.write(passed);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const by = new URL(url);
  by.port = String((server.address() as AddressInfo).port);
  return by.href;
}
